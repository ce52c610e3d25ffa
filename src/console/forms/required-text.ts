import { useState } from 'react';
import { type TextId, t } from '../texts/i18n.ts';

/** A text without which something is not done, such as a reason. Its field says so to a person who leaves it empty. */
export function useRequiredText(missing: TextId = 'base.reason_missing') {
  const [text, setText] = useState('');
  const [isChecked, setChecked] = useState(false);
  const isMissing = text.trim() === '';
  return {
    text,
    field: { value: text, onText: setText, fault: isChecked && isMissing ? t(missing) : null },
    /** Whether the person has entered it. If not, the field says so from now on. */
    check(): boolean {
      setChecked(true);
      return !isMissing;
    },
  };
}
