import type { ComponentProps, MouseEvent, ReactNode } from 'react';
import { Link } from 'wouter';

interface ButtonProps extends Omit<ComponentProps<'button'>, 'disabled'> {
  look?: 'main-action' | 'danger' | 'plain' | 'link' | undefined;
  /** Why it cannot be pressed now. It stays reachable by keyboard, and shows the reason. */
  disabledBecause?: string | null | undefined;
  isBusy?: boolean;
  children: ReactNode;
}

export function Button({
  look,
  disabledBecause = null,
  isBusy = false,
  onClick,
  className = '',
  children,
  ...rest
}: ButtonProps) {
  const isOff = disabledBecause !== null || isBusy;
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (isOff) event.preventDefault();
    else onClick?.(event);
  };
  return (
    <button
      type="button"
      {...rest}
      className={`button ${look ?? ''} ${className}`}
      aria-disabled={isOff || undefined}
      aria-busy={isBusy || undefined}
      title={disabledBecause ?? rest.title}
      onClick={press}
    >
      {children}
    </button>
  );
}

/** A link that looks like a button: it leads to another page. */
export function ButtonLink({
  href,
  look,
  children,
}: {
  href: string;
  look?: 'main-action' | 'plain';
  children: ReactNode;
}) {
  return (
    <Link href={href} className={look === undefined ? 'button' : `button ${look}`}>
      {children}
    </Link>
  );
}
