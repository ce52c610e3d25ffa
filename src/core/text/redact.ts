/** What people write between the digits of one number: a dot, or spaces, dashes and brackets. */
const between = String.raw`(?:\.|[\p{Zs}\t\-()\u2010-\u2015\u2212]{1,4})`;

/** A number before one of these nouns is a count. It has no leading zero and nine digits at most. */
const counted =
  '(?:rows?|records?|lines?|entries|files?|batch(?:es)?|payments?|top-ups?|recipients?|people|bytes?|[kMG]i?B|ms)';
const count = String.raw`[1-9](?:[0-9]{0,8}|[0-9]{0,2}(?:[ ,.\u00A0\u202F][0-9]{3}){1,2})`;

/** Things with many digits that are not phone numbers. */
const named = [
  String.raw`${count}(?:(?: of |/)${count})? ${counted}(?![\p{L}\p{Nd}])`,
  String.raw`(?<=\b(?:row|rows|record|records) )[1-9][0-9]{0,6}(?!\p{Nd}|${between}\p{Nd})`,
  // A date without dashes at the end of a name, as in "payroll-20261125".
  String.raw`(?<=\p{L}[-_.])20[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])(?![\p{L}\p{Nd}])`,
  // UUIDs, batch ids, and digests, as in the run id of a file.
  String.raw`[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![\p{L}\p{Nd}])`,
  String.raw`[0-9]{8}-[0-9]{6}-[0-9a-fA-F]{4}(?![\p{L}\p{Nd}])`,
  String.raw`(?=[0-9]*[a-fA-F])[0-9a-fA-F]{16,}(?![\p{L}\p{Nd}])`,
  // Dates, with or without a time.
  String.raw`(?:19|20)[0-9]{2}-[01][0-9]-[0-3][0-9](?:[T ][0-2][0-9]:[0-5][0-9](?::[0-6][0-9](?:\.[0-9]+)?)?)?(?![0-9])`,
  String.raw`[0-3]?[0-9][.-][01]?[0-9][.-](?:19|20)[0-9]{2}(?!\p{Nd}|${between}\p{Nd})`,
  // The slot before the name of a job's file, and in the name of a file with a command's output.
  String.raw`20[0-9]{2}[01][0-9][0-3][0-9]-[0-2][0-9][0-5][0-9](?=~|\.csv(?![\p{L}\p{Nd}]))`,
  // The time in the name of a backup.
  String.raw`20[0-9]{2}[01][0-9][0-3][0-9]T[0-2][0-9][0-5][0-9]{6}Z(?![\p{L}\p{Nd}])`,
  // A network address, which errors show with its port.
  String.raw`[0-9]{1,3}(?:\.[0-9]{1,3}){3}:[0-9]`,
].join('|');

/** Sums of money: whole numbers without a leading zero, and two decimals after a dot. */
const cents = String.raw`[1-9][0-9]{0,8}\.[0-9]{2}(?![0-9]|[.-][0-9])`;
const amount = String.raw`${cents}|[1-9][0-9]{0,8}\.[0-9]{1,3}(?!\p{Nd}|${between}\p{Nd})`;

/**
 * Where a run of digits ends although digits follow: what follows is one of the things above, or is long enough to be a
 * number itself.
 */
const another = String.raw`\p{Nd}{8}|(?<=\p{Zs})(?:${named}|${cents})`;

/** Eight or more digits that belong together: in one piece, with a country code before them, or in groups. */
const grouped = String.raw`\p{Nd}(?:(?:${between}(?!${another}))?\p{Nd}){7,}`;
/** A bracket is part of the number if it contains the first group of digits. */
const lead = String.raw`(?:[+＋]|\((?=[+＋]?\p{Nd}{1,5}\))){0,2}`;
const number = String.raw`${lead}(?:(?:(?<=[+＋(])\p{Nd}{1,4}${between})?\p{Nd}{8,}|${grouped})`;
/** National numbers of small countries: seven digits that stand alone. */
const short = String.raw`(?<![\p{L}\p{Nd}_.,-])\p{Nd}{7}(?![\p{L}\p{Nd}_-]|[.,]\p{Nd})`;

const digitRuns = new RegExp(String.raw`(?<![\p{L}\p{Nd}+])(?<kept>${named}|${amount})|${number}|${short}`, 'gu');
/** Most lines have too few digits for a phone number, and need no closer look. */
const sevenDigits = /(?:\p{Nd}\P{Nd}*){7}/u;

/**
 * The text without phone numbers, however people and services write them: for logs and the audit chain, which are kept
 * for longer than anybody may keep a number. What only looks like a number is removed, too; ids, digests, times and
 * amounts stay.
 */
export function withoutNumbers(text: string): string {
  if (!sevenDigits.test(text)) return text;
  return text.replace(digitRuns, (run, kept?: string) => (kept === undefined ? '[number]' : run));
}

/** A shorter text is not a secret, and would match parts of ordinary words by chance. */
const secretLengthMin = 6;

/**
 * The text without the known secrets. The longest is replaced first: a shorter one may be part of it. A program with a
 * thousand accounts has as many secrets, and nearly every text has none of them.
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= secretLengthMin && text.includes(secret))
    .sort((a, b) => b.length - a.length)
    .reduce((clean, secret) => clean.replaceAll(secret, '[secret]'), text);
}

const secretName =
  '(?:passw(?:or)?d|passphrase|pwd|secret|token|api[-_ ]?key|access[-_ ]?key|private[-_ ]?key|authorization|credential)s?';
/** How long the rest of a name may be. Without a limit, a long text without spaces would take hours. */
const nameRestMax = 64;
const credentials: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/gs, '[secret]'],
  [/(?<=:\/\/)[^\s/@]+@/g, '[secret]@'],
  [/\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi, '$1 [secret]'],
  // "password=x", "API_KEY: x", `"token":"x"`, "--secret x".
  [
    new RegExp(
      String.raw`(${secretName}[\w-]{0,${nameRestMax}}["']?\s*(?:=>|[:=])\s*|(?<=-[\w-]{0,${nameRestMax}})${secretName}\s+)(?:"[^"]*"?|'[^']*'?|[^\s,;&]+)`,
      'gi',
    ),
    '$1[secret]',
  ],
  [/\b(?:[spr]k_(?:live|test)_|gh[pousr]_|github_pat_|xox[abeprs]-|AKIA|AIza|eyJ)[\w.-]{8,}/g, '[secret]'],
  // Nobody writes this by hand: upper-case and lower-case letters and digits in one long piece.
  [/(?<![\w+=-])(?=[\w+=-]*[a-z])(?=[\w+=-]*[A-Z])(?=[\w+=-]*[0-9])[\w+=-]{24,}/g, '[secret]'],
];

/** The text without what looks like a secret, for the output of other programs. */
export function withoutCredentials(text: string): string {
  return credentials.reduce((clean, [found, instead]) => clean.replace(found, instead), text);
}
