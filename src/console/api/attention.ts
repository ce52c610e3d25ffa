/**
 * Whether somebody is there. A page that nobody looks at asks the server for nothing: a session must end by itself,
 * and what a page asks for by itself would keep it alive.
 */
const unattendedMs = 5 * 60_000;
const inputs = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'];

let lastInputAt = Date.now();

export function isAttended(): boolean {
  return Date.now() - lastInputAt < unattendedMs;
}

/** Records activity on the page, and calls `onReturn` when the person comes back. Returns a function that ends that. */
export function watchAttention(page: EventTarget, onReturn: () => void): () => void {
  const note = () => {
    const wasAttended = isAttended();
    lastInputAt = Date.now();
    if (!wasAttended) onReturn();
  };
  for (const input of inputs) page.addEventListener(input, note, { passive: true, capture: true });
  return () => {
    for (const input of inputs) page.removeEventListener(input, note, { capture: true });
  };
}
