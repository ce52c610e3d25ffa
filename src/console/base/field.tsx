import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react';

interface About {
  label: string;
  help?: string | undefined;
  /** The fault of the entered value. */
  fault?: string | null | undefined;
  /** The label is only for screen readers; others see it from its place. */
  isLabelHidden?: boolean;
}

function Frame({ id, about, children }: { id: string; about: About; children: ReactNode }) {
  const { label, help, fault, isLabelHidden = false } = about;
  return (
    <div className="field">
      <label htmlFor={id} className={isLabelHidden ? 'hidden-text' : undefined}>
        {label}
      </label>
      {children}
      {help !== undefined && (
        <span className="help" id={`${id}-help`}>
          {help}
        </span>
      )}
      {fault && (
        <span className="fault" id={`${id}-fault`} role="alert">
          {fault}
        </span>
      )}
    </div>
  );
}

function described(id: string, { help, fault }: About) {
  const ids = [help === undefined ? '' : `${id}-help`, fault ? `${id}-fault` : ''].filter((one) => one !== '');
  return { 'aria-describedby': ids.join(' ') || undefined, 'aria-invalid': fault ? true : undefined };
}

interface Typed {
  /** Is given the whole text after each change of it. */
  onText?: (text: string) => void;
}

export function Field({
  label,
  help,
  fault,
  isLabelHidden,
  onText,
  ...rest
}: About & Typed & Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange'>) {
  const id = useId();
  const about = { label, help, fault, isLabelHidden: isLabelHidden ?? false };
  return (
    <Frame id={id} about={about}>
      <input
        id={id}
        className="input"
        {...described(id, about)}
        {...rest}
        onChange={({ target }) => onText?.(target.value)}
      />
    </Frame>
  );
}

export function TextArea({
  label,
  help,
  fault,
  onText,
  ...rest
}: About & Typed & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange'>) {
  const id = useId();
  const about = { label, help, fault };
  return (
    <Frame id={id} about={about}>
      <textarea
        id={id}
        className="input"
        {...described(id, about)}
        {...rest}
        onChange={({ target }) => onText?.(target.value)}
      />
    </Frame>
  );
}

interface SelectProps<Value extends string>
  extends About,
    Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange' | 'value'> {
  value: Value;
  options: readonly { value: Value; label: string }[];
  onPick: (value: Value) => void;
}

export function Select<Value extends string>({
  label,
  help,
  fault,
  isLabelHidden,
  options,
  onPick,
  ...rest
}: SelectProps<Value>) {
  const id = useId();
  const about = { label, help, fault, isLabelHidden: isLabelHidden ?? false };
  return (
    <Frame id={id} about={about}>
      <select
        id={id}
        className="input"
        {...described(id, about)}
        {...rest}
        onChange={({ target }) => onPick(target.value as Value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </Frame>
  );
}
