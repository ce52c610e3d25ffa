/**
 * A text as a file, a cell, a service or a program may bring it, and what of it must reach nobody raw by any of these
 * channels.
 */
export interface HostileText {
  what: string;
  text: string;
  /** On a terminal, in a mail, a chat, a log and a page. */
  raw?: readonly string[];
  /** In a mail, a chat and a log. */
  personal?: readonly string[];
  /** In a mail and a chat. */
  link?: readonly string[];
  /** In a chat. */
  call?: readonly string[];
}

/** The API key of the tests, which a service may echo. */
export const secret = 'canary-key-4711+/=';

export const hostileTexts: readonly HostileText[] = [
  { what: 'a colour', text: 'pay\u001b[31mroll.csv', raw: ['\u001b'] },
  { what: 'a screen that is cleared', text: '\u001b[2J\u001b[H\u0007', raw: ['\u001b', '\u0007'] },
  { what: 'a control sequence of one character', text: 'a\u009b31mb', raw: ['\u009b'] },
  { what: 'a link of a terminal', text: '\u001b]8;;https://evil.example\u001b\\x\u001b]8;;\u001b\\', raw: ['\u001b'] },
  { what: 'a line of its own', text: 'a.csv\nAll rows were paid', raw: ['\nAll'] },
  { what: 'a line that is written over', text: 'a.csv\rAll rows were paid', raw: ['\r'] },
  { what: 'a line separator of Unicode', text: 'a\u2028b\u2029c\u0085d', raw: ['\u2028', '\u2029', '\u0085'] },
  { what: 'a direction that is turned', text: 'pay\u202Evsc.exe', raw: ['\u202e'] },
  {
    what: 'a direction that is embedded',
    text: '\u2067a\u2069\u061c\u200f',
    raw: ['\u2067', '\u2069', '\u061c', '\u200f'],
  },
  {
    what: 'invisible characters',
    text: 'a\u200bb\u2060c\ufeffd\u00ade\u3164f',
    raw: ['\u200b', '\u2060', '\ufeff', '\u00ad', '\u3164'],
  },
  { what: 'tags, which hide text in text', text: 'a\u{e0061}\u{e007f}', raw: ['\u{e0061}', '\u{e007f}'] },
  { what: 'half a surrogate', text: 'a\ud800b', raw: ['\ud800'] },
  { what: 'a NUL', text: 'a\0b', raw: ['\0'] },
  { what: 'a number', text: 'payroll of +254 712 405 118.csv', personal: ['712 405 118', '405'] },
  { what: 'a number in digits of another script', text: 'رقم ٠٧١٢٤٠٥١١٨', personal: ['٠٧١٢٤٠٥١١٨'] },
  { what: 'a secret', text: `refused: key ${secret} is not known`, personal: [secret] },
  { what: 'a link', text: 'see https://evil.example/login', link: ['https://', 'evil.example'] },
  {
    what: 'a link without a scheme',
    text: 'see www.evil.example or evil.example/login',
    link: ['www.', 'evil.example'],
  },
  {
    what: 'a link of another scheme',
    text: 'call tel:1 or mailto:a@evil.example or javascript:alert(1)',
    link: ['tel:1', 'mailto:a', 'javascript:a'],
  },
  {
    what: 'a link of a chat',
    text: '<https://evil.example|payroll.csv> [report](https://evil.example)',
    call: ['<', '>', 'https://'],
  },
  {
    what: 'a call to everybody',
    text: '<!channel> @here @everyone <@U123>',
    call: ['<!channel>', '@here', '@everyone', '<@'],
  },
  { what: 'a page', text: '<script>alert(1)</script><img src=x onerror=alert(1)>"\'', raw: [] },
  { what: 'a formula', text: '=HYPERLINK("https://evil.example")' },
  { what: 'a formula behind a tab', text: '\t@SUM(1)' },
];
