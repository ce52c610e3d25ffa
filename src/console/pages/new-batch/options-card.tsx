import { useEffect, useRef, useState } from 'react';
import { Button } from '../../base/button.tsx';
import { Select } from '../../base/field.tsx';
import { Card } from '../../base/page.tsx';
import { countryName } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import type { Draft } from './draft-queries.ts';
import { RereadPart } from './reread-part.tsx';
import type { DraftEditor } from './use-draft-editor.ts';
import { CountryValue, CurrencyValue, DecimalValue, NetworkValue } from './value-fields.tsx';

type Options = Draft['options'];

interface OptionsProps {
  draft: Draft;
  editor: DraftEditor;
  isShown: boolean;
  onShow: (isShown: boolean) => void;
}

/** How the whole file is read: its sheet and header line, and what holds for all rows that do not say. */
export function OptionsCard({ draft, editor, isShown, onShow }: OptionsProps) {
  const frame = useRef<HTMLDivElement>(null);
  const toggle = useRef<HTMLButtonElement>(null);
  const isFirst = useRef(true);
  // A person whom a problem further down sends here sees the field, and can type at once. When the fields go, the focus
  // would be lost.
  useEffect(() => {
    const next = isShown ? frame.current?.querySelector<HTMLElement>('select, input') : toggle.current;
    if (!isFirst.current) next?.focus();
    isFirst.current = false;
  }, [isShown]);
  return (
    <Card
      title={t('draft.whole_file')}
      isFlush
      actions={
        <Button look="link" ref={toggle} aria-expanded={isShown} onClick={() => onShow(!isShown)}>
          {t(isShown ? 'draft.columns_hide' : 'base.change')}
        </Button>
      }
    >
      {isShown ? (
        <div ref={frame} className="card-part stack">
          <RereadPart draft={draft} />
          <Values key={JSON.stringify(draft.options)} draft={draft} editor={editor} onDone={() => onShow(false)} />
        </div>
      ) : (
        <p className="card-part quiet">{summaryOf(draft.options).join(' · ') || t('draft.whole_file_none')}</p>
      )}
    </Card>
  );
}

function summaryOf({ sheet, header_line, country, currency, network_id, decimal, total_line }: Options): string[] {
  return [
    sheet === undefined ? '' : t('draft.sheet_is', { name: sheet }),
    header_line === undefined ? '' : t('draft.header_is', { line: header_line }),
    country === undefined ? '' : countryName(country),
    currency ?? '',
    network_id === undefined ? '' : t('draft.network_is', { id: network_id }),
    decimal === '.' ? t('draft.decimal_point') : decimal === ',' ? t('draft.decimal_comma') : '',
    total_line === 'skip' ? t('draft.total_skip') : '',
  ].filter((text) => text !== '');
}

interface Chosen {
  country: string;
  currency: string;
  network: string;
  decimal: string;
  total: 'invalid' | 'skip';
}

function Values({ draft, editor, onDone }: Pick<OptionsProps, 'draft' | 'editor'> & { onDone: () => void }) {
  const { sheet: _, header_line: __, country, currency, network_id, decimal, total_line, ...kept } = draft.options;
  const [chosen, setChosen] = useState<Chosen>({
    ...{ country: country ?? '', currency: currency ?? '', network: network_id?.toString() ?? '' },
    ...{ decimal: decimal === '.' || decimal === ',' ? decimal : '', total: total_line ?? 'invalid' },
  });
  const none = t('draft.as_configured');
  const pick = (name: keyof Chosen) => (value: string) => setChosen({ ...chosen, [name]: value });
  const save = () => {
    const options = {
      ...kept,
      ...(chosen.country === '' ? {} : { country: chosen.country }),
      ...(chosen.currency === '' ? {} : { currency: chosen.currency }),
      ...(chosen.network === '' ? {} : { network_id: Number(chosen.network) }),
      ...(chosen.decimal === '' ? {} : { decimal: chosen.decimal as '.' | ',' }),
      ...(chosen.total === 'invalid' ? {} : { total_line: chosen.total }),
    };
    void editor.edit({ options }).then(onDone, () => undefined);
  };
  return (
    <>
      <p className="quiet">{t('draft.whole_file_help')}</p>
      <div className="fields">
        <CountryValue draft={draft} value={chosen.country} onPick={pick('country')} none={none} />
        <CurrencyValue value={chosen.currency} onPick={pick('currency')} />
        <NetworkValue draft={draft} value={chosen.network} onPick={pick('network')} none={none} />
        <DecimalValue value={chosen.decimal} onPick={pick('decimal')} none={none} />
        <Select
          label={t('draft.total')}
          value={chosen.total}
          options={[
            { value: 'invalid', label: t('draft.total_invalid') },
            { value: 'skip', label: t('draft.total_skip') },
          ]}
          onPick={pick('total')}
        />
      </div>
      <div>
        <Button look="main-action" isBusy={editor.isBusy} onClick={save}>
          {t('draft.use_options')}
        </Button>
      </div>
    </>
  );
}
