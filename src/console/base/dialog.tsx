import { type FormEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { t } from '../texts/i18n.ts';
import { Button } from './button.tsx';
import { Failure } from './failure.tsx';

export interface DialogProps {
  title: string;
  onClose: () => void;
  /** Without it, the dialog has no decision. */
  onSubmit?: () => void;
  submitText?: string;
  look?: 'main-action' | 'danger';
  /** What its decision starts: meanwhile the button is busy, and a failure is shown. */
  work?: { isPending: boolean; error: unknown };
  /** Whether the content is a form with its own button: a form cannot be inside another one. */
  isFormOfItsOwn?: boolean;
  /** Whether only its button closes it. */
  staysAtEscape?: boolean;
  children: ReactNode;
}

/** A dialog over the page, by the browser's own `<dialog>`: it keeps the focus, and Escape closes it. */
export function Dialog({
  title,
  onClose,
  onSubmit,
  submitText,
  look = 'main-action',
  work: { isPending, error } = { isPending: false, error: null },
  isFormOfItsOwn = false,
  staysAtEscape = false,
  children,
}: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const failure = useRef<HTMLDivElement>(null);
  const titleId = useId();
  const Body = isFormOfItsOwn ? 'div' : 'form';
  useEffect(() => {
    const shown = dialog.current;
    const before = document.activeElement;
    shown?.showModal();
    return () => {
      shown?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  // It may stand below the edge of the screen.
  useEffect(() => {
    if (error !== null) failure.current?.scrollIntoView({ block: 'center' });
  }, [error]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isPending) onSubmit?.();
  };
  return (
    <dialog
      ref={dialog}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        if (!staysAtEscape) onClose();
      }}
      // Browsers close a dialog at the second Escape, whatever it answers to the first.
      {...(staysAtEscape ? { closedby: 'none' } : {})}
    >
      <Body className="dialog-body" {...(isFormOfItsOwn ? {} : { onSubmit: submit, noValidate: true })}>
        <h2 id={titleId}>{title}</h2>
        {children}
        {error !== null && (
          <div ref={failure}>
            <Failure error={error} />
          </div>
        )}
        <div className="dialog-actions">
          <Button onClick={onClose}>{onSubmit === undefined ? t('base.close') : t('base.cancel')}</Button>
          {onSubmit !== undefined && (
            <Button type="submit" look={look} isBusy={isPending}>
              {submitText ?? t('base.save')}
            </Button>
          )}
        </div>
      </Body>
    </dialog>
  );
}
