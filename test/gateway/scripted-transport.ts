import type { PaymentRequest } from '../../src/gateway/contract/gateway.ts';
import type {
  AnswerHeaders,
  Transport,
  TransportRequest,
  TransportResult,
} from '../../src/gateway/transport/transport.ts';

/** A transport that answers from a script and keeps what it was asked. */
export interface ScriptedTransport extends Transport {
  readonly asked: TransportRequest[];
}

/** Answers every request, once it is written, with the next of `results`; the last one repeats. */
export function scriptedTransport(...results: TransportResult[]): ScriptedTransport {
  const asked: TransportRequest[] = [];
  return {
    asked,
    async send(request, read) {
      asked.push(request);
      const result = results[Math.min(asked.length, results.length) - 1];
      if (!result) throw new Error('the script is empty');
      request.beforeWrite?.();
      return read(result);
    },
    close: async () => undefined,
  };
}

/** A whole answer; a `body` that is no text is written as JSON. */
export function answer(status: number, body: unknown, headers: AnswerHeaders = {}): TransportResult {
  return { kind: 'answer', status, headers, text: typeof body === 'string' ? body : JSON.stringify(body) };
}

/** An amount to a number, with nothing besides. */
export function anOrder(fields: Partial<PaymentRequest> = {}): PaymentRequest {
  return {
    phoneNumber: '+254712345678',
    networkId: 7,
    amount: { value: '1250.50', currency: 'KES' },
    productId: null,
    smsMessage: null,
    reference: 'payroll-2026-11/a 1',
    callbackUrl: null,
    ...fields,
  };
}
