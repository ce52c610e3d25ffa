import { createHmac } from 'node:crypto';
import type { Readable } from 'node:stream';
import { unlessAborted } from '../core/time/aborted.ts';
import type { Message } from './message.ts';
import { chatText, mailText, type OutsideText, webhookText } from './outside-text.ts';
import { type Post, post, signedHeaders } from './post.ts';
import type { Mail, Recipient } from './recipients.ts';

/** Sends one message to one recipient. Rejects if it may not have arrived, and at once when `ending` is aborted. */
export type Sender = (
  recipient: Recipient,
  message: Message,
  sent: { eventId: string; at: number },
  ending?: AbortSignal,
) => Promise<void>;

/** Finds the page of a batch's reports. `bytes` is null if it is missing, or cannot be reached. */
export type ReportForMail = (batchId: string) => Promise<{
  /** For people. */
  place: string;
  bytes: number | null;
  open: () => Promise<Readable>;
}>;

export interface SenderOptions {
  mail: Mail | null;
  report: ReportForMail;
  /** Texts that no notification may contain. */
  secrets: readonly string[];
}

const deadlineMs = 15_000;
/** A larger report is named, not attached. */
const attachmentBytesMax = 5 * 2 ** 20;

export function makeSender({ mail, report: reportOf, secrets }: SenderOptions): Sender {
  const [inMail, inChat, inWebhook] = [mailText(secrets), chatText(secrets), webhookText(secrets)];
  return async (recipient, message, sent, ending) => {
    switch (recipient.kind) {
      case 'email': {
        if (!mail) throw new Error('no mail server is configured ("mail")');
        const report = message.report === null ? null : await reportOf(message.report);
        const isAttached = recipient.attachReport && (report?.bytes ?? Infinity) <= attachmentBytesMax;
        const content = report && isAttached ? await report.open() : null;
        const transport = await makeMailTransport(mail);
        const sending = transport.sendMail({
          from: mail.from,
          to: recipient.to,
          subject: inMail(subjectOf(message)),
          text: textOf(message, content || report === null ? null : placeText(report, message.report), inMail),
          // If it is sent twice after a crash, mail programs recognise the second copy by this id.
          messageId: `<${sent.eventId.replace(/[^A-Za-z0-9._-]+/g, '.')}.${hashed(recipient.id)}@airbatch>`,
          attachments: content ? [{ filename: `${message.report}.html`, content }] : [],
        });
        // A delivery to a mail server cannot be cancelled, so its answer is ignored.
        await unlessAborted(sending, ending);
        return;
      }
      case 'webhook': {
        const timestamp = new Date(sent.at).toISOString();
        const data = Object.entries({ text: message.subject, ...message.facts }).map(([name, value]) => [
          name,
          typeof value === 'string' ? inWebhook(value) : value,
        ]);
        if (message.open !== undefined) data.push(['console_url', message.open]);
        const body = JSON.stringify({ type: message.kind, timestamp, data: Object.fromEntries(data) });
        const headers = signedHeaders([recipient.secret.value], { id: sent.eventId, at: sent.at }, body);
        await postTo(recipient.url, { headers, body, ending });
        return;
      }
      case 'chat':
        await postTo(recipient.url.value, { body: JSON.stringify({ text: textOf(message, null, inChat) }), ending });
    }
  };
}

/** Made for each mail: the password may have been replaced since the last one. */
async function makeMailTransport({ host, port, secure, user, password }: Mail) {
  const auth = user !== undefined && password !== undefined ? { auth: { user: user.value, pass: password.value } } : {};
  const timeouts = { connectionTimeout: deadlineMs, greetingTimeout: deadlineMs, socketTimeout: deadlineMs };
  // Loaded at the first mail: most programs that run send none.
  const { createTransport } = await import('nodemailer');
  return createTransport({ host, port, secure, ...auth, ...timeouts });
}

/** Where the report is. If it is missing, it could not be written, or was written to another folder. */
function placeText({ place, bytes }: Awaited<ReturnType<ReportForMail>>, batchId: string | null): string {
  return bytes !== null ? place : `not at ${place}: "airbatch report ${batchId}" writes it`;
}

/** Names the file, the job and the batch, so that two mails about files of one day differ in the mailbox. */
function subjectOf({ subject, facts: { file_name, job, batch_id } }: Message): string {
  const about = [
    file_name,
    job === null || job === undefined || subject.startsWith(`Job ${job}:`) ? null : `job ${job}`,
    batch_id === null || batch_id === undefined ? null : `batch ${batch_id}`,
  ].filter((part) => part !== null && part !== undefined);
  return about.length === 0 ? subject : `${subject} (${about.join(', ')})`;
}

function textOf({ subject, lines, open }: Message, report: string | null, inChannel: OutsideText): string {
  const all = [subject, '', ...lines, ...(report === null ? [] : [`Report:  ${report}`])].map(inChannel);
  // It has no text from outside, so it may stay a link that people can click.
  if (open !== undefined) all.push(`Open:    ${open}`);
  return `${all.join('\n')}\n`;
}

function hashed(text: string): string {
  return createHmac('sha256', 'recipient').update(text).digest('hex').slice(0, 16);
}

async function postTo(url: string, given: Pick<Post, 'headers' | 'body' | 'ending'>): Promise<void> {
  // The configuration names the address: it may be one of the own network.
  const status = await post({ url, ...given, mayBePrivate: true });
  if (status < 200 || status > 299) throw new Error(`it answered HTTP ${status}`);
}
