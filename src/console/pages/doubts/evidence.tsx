import { Time } from '../../base/values.tsx';
import { t } from '../../texts/i18n.ts';
import { answerText, reasonText } from '../../texts/reason-text.ts';
import type { Doubt } from './doubt-queries.ts';

/** What is known of a row in doubt: the last answer, the last look-up by a person, and what comes next. */
export function Evidence({
  doubt: { last_answer: answer, why, why_reason, attempts, next, last_look_up: looked },
}: {
  doubt: Doubt;
}) {
  return (
    <div className="wrap">
      {answer !== null && answer.code !== '' && <code>{answer.code}</code>}{' '}
      {answer !== null && (answerText(answer.code) ?? answer.message)}
      <div>{reasonText(why_reason) ?? why}</div>
      <div className="small quiet">
        {t('doubts.attempts', { count: attempts })} ·{' '}
        {next === null ? (
          t('doubts.left')
        ) : (
          <>
            {t('doubts.next_lookup')} <Time at={next} />
          </>
        )}
      </div>
      {looked !== null && (
        <div className="small">
          {t('doubts.asked', { person: looked.by, outcome: outcomeOf(looked.outcome) })} <Time at={looked.at} />
        </div>
      )}
    </div>
  );
}

/** The result of a look-up that did not end the doubt. */
function outcomeOf(outcome: string): string {
  if (outcome === 'not_found' || outcome === 'unanswered' || outcome === 'halted' || outcome === 'found')
    return t(`doubts.outcome.${outcome}`);
  return outcome;
}
