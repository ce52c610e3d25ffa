import { z } from 'zod';
import { safeUrl } from '../../core/text/safe-url.ts';
import type { Secret, SecretOf } from '../../notify/recipients.ts';

/** Where traces go: a collector of OpenTelemetry that speaks OTLP over HTTP. */
export const tracesShape = z.strictObject({ url: safeUrl, tokenEnv: z.string().min(1).optional() });

export interface TracesConfig {
  url: string;
  token: Secret | null;
}

export function resolveTraces({ url, tokenEnv }: z.output<typeof tracesShape>, secret: SecretOf): TracesConfig {
  return { url, token: tokenEnv ? secret('traces.tokenEnv', tokenEnv) : null };
}
