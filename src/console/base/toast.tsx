import { useEffect, useState, useSyncExternalStore } from 'react';
import { useLocation } from 'wouter';
import { t } from '../texts/i18n.ts';
import { Button } from './button.tsx';

interface Shown {
  id: number;
  text: string;
  /** By `performance.now()`. */
  since: number;
}

const shownMs = 8_000;
/**
 * An action may show a message and then open another page, within this time: there the message stays. A page that the
 * person opens later removes it.
 */
const leadsOnMs = 1_000;
let toasts: readonly Shown[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function set(next: readonly Shown[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

/** Says for a few seconds that something was done. Errors stay where they occurred. */
export function toast(text: string): void {
  set([...toasts, { id: ++lastId, text, since: performance.now() }]);
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  const [path] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is opened
  useEffect(() => set(toasts.filter(({ since }) => performance.now() - since < leadsOnMs)), [path]);
  return (
    <div className="toasts" role="status">
      {shown.map((one) => (
        <ToastLine key={one.id} {...one} />
      ))}
    </div>
  );
}

function ToastLine({ id, text }: Shown) {
  const [isRead, setRead] = useState(false);
  const close = () => set(toasts.filter((one) => one.id !== id));
  useEffect(() => {
    if (isRead) return;
    const timer = setTimeout(() => set(toasts.filter((one) => one.id !== id)), shownMs);
    return () => clearTimeout(timer);
  }, [id, isRead]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a text that somebody points at stays
    <div className="toast" onMouseEnter={() => setRead(true)} onMouseLeave={() => setRead(false)}>
      <span>{text}</span>
      <Button look="plain" onClick={close}>
        {t('base.close')}
      </Button>
    </div>
  );
}
