/** The logo of airbatch. Its name is next to it. */
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#1f5f5b" />
      <path d="M8 10h16M8 16h16M8 22h9" stroke="#fff" strokeWidth="2.6" strokeLinecap="round" />
      <circle cx="23" cy="22" r="2.4" fill="#8fe3c4" />
    </svg>
  );
}
