import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { Button } from '../base/button.tsx';
import { Failure } from '../base/failure.tsx';
import { Card } from '../base/page.tsx';
import './form-with-result.css';

interface FormProps<Input, Result> {
  /** What was entered; null if a value has a fault, which its field then shows. */
  entered: () => Input | null;
  request: (input: Input) => Promise<Result>;
  submitText: string;
  /** What is said meanwhile, for an answer that takes its time. */
  busyText?: string;
  /** What stands under the fields. */
  note: ReactNode;
  /** The fields. */
  children: ReactNode;
  result: (result: Result) => ReactNode;
}

/** Fields with one button, and under them the answer of the server, or why there is none. */
export function FormWithResult<Input, Result>({
  entered,
  request,
  submitText,
  busyText,
  note,
  children,
  result,
}: FormProps<Input, Result>) {
  const { data, error, isPending, mutate, reset } = useMutation({ mutationFn: request });
  const start = () => {
    const input = entered();
    if (input !== null) mutate(input);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start();
  };
  return (
    <>
      <Card>
        {/* An answer is never shown under other values than those that it is about. */}
        <form className="stack tight" onSubmit={submit} onChange={reset} noValidate>
          <div className="entered">
            {children}
            <Button type="submit" look="main-action" isBusy={isPending}>
              {submitText}
            </Button>
          </div>
          <p className="small quiet">{note}</p>
        </form>
      </Card>
      {isPending && busyText !== undefined && (
        <p className="quiet" role="status">
          {busyText}
        </p>
      )}
      {error !== null && <Failure error={error} onRetry={start} />}
      {data !== undefined && result(data)}
    </>
  );
}
