import { withoutNumbers } from '../../core/text/redact.ts';
import { maskNumbers } from '../text/mask.ts';
import type { BatchSummary } from './summary-shape.ts';

/**
 * The summary for readers who must not see phone numbers: texts of the service may quote them, and a file may be named
 * after one.
 */
export function maskSummary(summary: BatchSummary): BatchSummary {
  const masked = (text: string | null) => text && maskNumbers(text);
  return {
    ...summary,
    pause: summary.pause && { ...summary.pause, detail: masked(summary.pause.detail) },
    rejection: masked(summary.rejection),
    // This keeps dates: files are often named after days.
    file_name: withoutNumbers(summary.file_name),
    failures: Object.fromEntries(
      Object.entries(summary.failures).map(([code, failed]) => [code, { ...failed, reason: masked(failed.reason) }]),
    ),
  };
}
