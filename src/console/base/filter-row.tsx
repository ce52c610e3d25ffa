import { t } from '../texts/i18n.ts';
import { Button } from './button.tsx';
import { Field, Select } from './field.tsx';
import { Empty } from './page.tsx';

interface FilterRowProps<Value extends string> {
  choiceLabel: string;
  choice: Value;
  options: readonly { value: Value; label: string }[];
  onPick: (value: Value) => void;
  searchLabel: string;
  search: string;
  onSearch: (text: string) => void;
}

/** A choice and a search above a list. */
export function FilterRow<Value extends string>({
  choiceLabel,
  choice,
  options,
  onPick,
  searchLabel,
  search,
  onSearch,
}: FilterRowProps<Value>) {
  return (
    <div className="filters">
      <Select label={choiceLabel} isLabelHidden value={choice} options={options} onPick={onPick} />
      <Field
        label={searchLabel}
        isLabelHidden
        type="search"
        placeholder={searchLabel}
        value={search}
        onText={onSearch}
      />
    </div>
  );
}

/** Nothing of a list fits its filter. */
export function NoneFits({ title, onClear }: { title: string; onClear: () => void }) {
  return (
    <Empty title={title}>
      <Button onClick={onClear}>{t('base.clear_filter')}</Button>
    </Empty>
  );
}
