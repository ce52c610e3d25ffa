import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import { sha256 } from '../../core/identity/ids.ts';
import { pageEvents } from '../../ledger/audit/events.ts';
import { findBatch } from '../../ledger/batches/batches.ts';
import type { Session } from '../session/session.ts';
import type { TracesConfig } from '../settings/traces-config.ts';
import { version } from '../settings/version.ts';
import { type TraceSpan, traceSpans } from './trace-spans.ts';

/** Of how many rows of a batch the way is shown, and how many events are read for them. */
const rowsMax = 1_000;
const eventsMax = 20 * rowsMax;
/** The last events of a batch: its end and its reports. */
const endEvents = 100;
const eventsPerPage = 1_000;
const spansPerRequest = 500;
const deadlineMs = 10_000;

/** Sends the way of each batch, from its intake to its reports, to a collector of OpenTelemetry. */
export interface Traces {
  /** Sends the trace of a batch whose reports were written. Nothing waits for it; an error is logged. */
  send(batchId: string): void;
  /** Resolves when nothing is being sent. */
  stop(): Promise<void>;
}

/**
 * The traces are made of the audit chain when a batch has ended, so that nothing is measured while it is paid. Null if
 * none are configured: then nothing is loaded either. Throws `CONFIG_INVALID` if the packages are not installed.
 */
export async function openTraces(session: Session): Promise<Traces | null> {
  const { config, log } = session;
  if (config.traces === null) return null;
  const exportSpans = await makeExport(config.traces);
  let last: Promise<void> = Promise.resolve();
  return {
    send(batchId) {
      last = last
        .then(async () => exportSpans(batchId, await spansOf(session, batchId)))
        .catch((error: unknown) =>
          log.warn('the trace of a batch could not be sent', { batch_id: batchId, error: errorMessage(error) }),
        );
    },
    stop: () => last,
  };
}

async function spansOf({ db }: Pick<Session, 'db'>, batchId: string): Promise<TraceSpan[]> {
  const batch = await findBatch(db, batchId);
  if (!batch) return [];
  const events = [];
  while (events.length < eventsMax) {
    const page = await pageEvents(db, batchId, events.at(-1)?.seq ?? 0, eventsPerPage);
    events.push(...page);
    if (page.length < eventsPerPage) break;
  }
  const ended = await pageEvents(db, batchId, Math.max(0, batch.audit_seq - endEvents), endEvents);
  return events.length === 0 ? [] : traceSpans(batch, { events, ended, rowsMax });
}

/** The libraries of OpenTelemetry, which most installations do not need. */
async function libraries() {
  try {
    return {
      api: await import('@opentelemetry/api'),
      sdk: await import('@opentelemetry/sdk-trace'),
      otlp: await import('@opentelemetry/exporter-trace-otlp-http'),
      resources: await import('@opentelemetry/resources'),
    };
  } catch (error) {
    throw new AirbatchError('CONFIG_INVALID', `"traces" needs packages that are missing: ${errorMessage(error)}`, {
      hint: 'npm install @opentelemetry/api @opentelemetry/sdk-trace @opentelemetry/exporter-trace-otlp-http @opentelemetry/resources',
      cause: error,
    });
  }
}

async function makeExport({
  url,
  token,
}: TracesConfig): Promise<(batchId: string, spans: TraceSpan[]) => Promise<void>> {
  const { api, sdk, otlp, resources } = await libraries();
  const headers = () => Promise.resolve(token === null ? {} : { authorization: `Bearer ${token.value}` });
  const exporter = new otlp.OTLPTraceExporter({ url, headers, timeoutMillis: deadlineMs });
  const resource = resources.resourceFromAttributes({ 'service.name': 'airbatch', 'service.version': version });
  const post = (spans: ReadableSpan[]) =>
    new Promise<void>((resolve, reject) => {
      exporter.export(spans, ({ code, error }) =>
        code === 0 ? resolve() : reject(error ?? new Error('it was refused')),
      );
    });
  return async (batchId, spans) => {
    const ended: ReadableSpan[] = [];
    let count = 0;
    // The same batch has the same ids, however often it is sent.
    const idGenerator = {
      generateTraceId: () => traceIdOf(batchId),
      generateSpanId: () => sha256(`${batchId} ${count++}`).slice(0, 16),
    };
    const collect = { onStart: () => undefined, onEnd: (span: ReadableSpan) => void ended.push(span) };
    const spanProcessors = [{ ...collect, forceFlush: async () => undefined, shutdown: async () => undefined }];
    const provider = new sdk.TracerProvider({ resource, idGenerator, spanProcessors });
    const tracer = provider.getTracer('airbatch', version);
    const contexts: ReturnType<typeof api.trace.setSpan>[] = [];
    for (const { name, parent, from, to, attributes, hasFailed, events } of spans) {
      const above = parent === null ? api.ROOT_CONTEXT : (contexts[parent] ?? api.ROOT_CONTEXT);
      const made = tracer.startSpan(name, { startTime: from, attributes }, above);
      for (const event of events) made.addEvent(event.name, event.attributes, event.at);
      if (hasFailed) made.setStatus({ code: api.SpanStatusCode.ERROR });
      contexts.push(api.trace.setSpan(above, made));
      made.end(to);
    }
    for (let at = 0; at < ended.length; at += spansPerRequest) await post(ended.slice(at, at + spansPerRequest));
  };
}

/** The trace of a batch: people find it by the batch's id. */
function traceIdOf(batchId: string): string {
  return sha256(batchId).slice(0, 32);
}
