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

/** What an entry needs so that screen readers connect it with its label, its help and its fault. */
interface EntryAttributes {
  id: string;
  className: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

/** An entry between its label and what is said about it. */
function Frame({
  about: { label, help, fault, isLabelHidden = false },
  entry,
}: {
  about: About;
  entry: (attributes: EntryAttributes) => ReactNode;
}) {
  const id = useId();
  const described = [help === undefined ? '' : `${id}-help`, fault ? `${id}-fault` : ''].filter((one) => one !== '');
  return (
    <div className="field">
      <label htmlFor={id} className={isLabelHidden ? 'hidden-text' : undefined}>
        {label}
      </label>
      {entry({
        id,
        className: 'input',
        'aria-describedby': described.join(' ') || undefined,
        'aria-invalid': fault ? true : undefined,
      })}
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

interface Typed {
  /** Is given the whole text after each change of it. */
  onText?: (text: string) => void;
}

type FieldProps = About & Typed & Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange'>;

export function Field({ label, help, fault, isLabelHidden = false, onText, ...rest }: FieldProps) {
  return (
    <Frame
      about={{ label, help, fault, isLabelHidden }}
      entry={(attributes) => <input {...attributes} {...rest} onChange={({ target }) => onText?.(target.value)} />}
    />
  );
}

type TextAreaProps = About & Typed & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange'>;

export function TextArea({ label, help, fault, isLabelHidden = false, onText, ...rest }: TextAreaProps) {
  return (
    <Frame
      about={{ label, help, fault, isLabelHidden }}
      entry={(attributes) => <textarea {...attributes} {...rest} onChange={({ target }) => onText?.(target.value)} />}
    />
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
  isLabelHidden = false,
  options,
  onPick,
  ...rest
}: SelectProps<Value>) {
  return (
    <Frame
      about={{ label, help, fault, isLabelHidden }}
      entry={(attributes) => (
        <select {...attributes} {...rest} onChange={({ target }) => onPick(target.value as Value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    />
  );
}
