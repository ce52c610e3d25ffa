import { Field, Select } from './field.tsx';

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
