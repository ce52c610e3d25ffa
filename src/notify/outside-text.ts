import { withoutNumbers, withoutSecrets } from '../core/text/redact.ts';
import { visible } from '../core/text/visible.ts';

/**
 * Notifications contain texts from outside: file names, the service's reasons, the output of a job's program, remarks
 * of people. They leave the machine, and stay in mailboxes and chats for longer than anybody may keep a phone number.
 * Each channel has one function, and the sender passes every line through it.
 */
export type OutsideText = (line: string) => string;

/** A scheme, or a host that begins with "www.": mail programs and chats turn both into links. */
const linkStart =
  /\b([a-z][a-z0-9+.-]{1,20}):(?=\/\/)|\b(mailto|javascript|data|tel|sms):(?=\S)|\b(www)\.(?=[\p{L}\p{Nd}])/giu;
/** File names with endings that are not top-level domains. */
const fileEnding =
  '(?:csv|tsv|txt|xlsx|xlsm|xls|ods|slk|gz|zip|json|jsonl|html|htm|ts|js|mjs|sig|pem|db|log|part|rejected|why|env|sh|py|md|pdf)';
/** A host without a scheme: "evil.example", "evil.example/pay". */
const host = new RegExp(
  String.raw`(?:(?<=\/\/)|(?<![\p{L}\p{Nd}_./\\-]))((?:[\p{L}\p{Nd}][\p{L}\p{Nd}-]*\.)*[\p{L}\p{Nd}][\p{L}\p{Nd}-]*)\.(?=(?!${fileEnding}(?![\p{L}\p{Nd}-]))\p{L}{2,24}(?![\p{L}\p{Nd}_-]))`,
  'giu',
);

/** Makes every link unclickable, as security mails write it: "https[:]//evil[.]example". */
function withoutLinks(text: string): string {
  return text
    .replace(host, '$1[.]')
    .replace(linkStart, (_found, scheme, kind, www) => (www ? `${www}[.]` : `${scheme ?? kind}[:]`));
}

/** Makes the function for lines (and subjects) of mails. `secrets` are those of the configuration. */
export function mailText(secrets: readonly string[]): OutsideText {
  return (line) => withoutLinks(visible(withoutNumbers(withoutSecrets(line, secrets))));
}

/** Makes the function for lines of chats, where brackets and "@" also mention people or make links. */
export function chatText(secrets: readonly string[]): OutsideText {
  const mail = mailText(secrets);
  return (line) =>
    mail(line)
      .replaceAll('<', '‹')
      .replaceAll('>', '›')
      .replace(/(?<![\p{L}\p{Nd}_.])@(?=[\p{L}_])/gu, '@ ');
}

/** Makes the function for texts in the body of a webhook, which programs read and show to people. */
export function webhookText(secrets: readonly string[]): OutsideText {
  return (text) => visible(withoutNumbers(withoutSecrets(text, secrets)));
}
