import type { RowState } from '../../core/state/row-state.ts';
import { rowStateTexts } from '../../core/state/state-texts.ts';
import { visibleText } from '../../core/text/visible.ts';
import { approversText } from '../sentences/approvals-text.ts';
import { durationText, failureText, sumsText, timeText } from '../sentences/format.ts';
import { brokenChainText } from '../sentences/verdict.ts';
import { differenceText } from '../sentences/version-text.ts';
import type { BatchSummary } from '../summary/summary-shape.ts';
import { failureName } from '../summary/survey.ts';
import type { ReportVersion } from '../versions/version-shape.ts';
import type { Cell, Sheet } from './workbook.ts';

/** A sheet for people: names and reasons from outside hide nothing. The other sheets keep each text as it is. */
export function summarySheet(rows: Cell[][]): Sheet {
  const shown = rows.map((row) => row.map((cell) => (typeof cell === 'string' ? visibleText(cell) : cell)));
  return { name: 'Summary', widths: [30, 26, 22, 22, 22, 40], header: null, rows: [shown] };
}

const heading = (...values: string[]): Cell[] => values.map((value) => ({ as: 'heading', value }));
const time = (iso: string | null): Cell => iso && { as: 'time', value: Date.parse(iso) };
const decimal = (value: string | null): Cell => value && { as: 'decimal', value };
const count = (value: number): Cell => ({ as: 'integer', value });

export function summaryRows(summary: BatchSummary, label: string, version: ReportVersion): Cell[][] {
  const sections = [
    batchRows(summary, label, version),
    rowCountRows(summary),
    currencyRows(summary),
    walletRows(summary),
    failureRows(summary),
    problemRows(summary),
    originRows(summary),
  ];
  return sections.flatMap((section, at) => (at === 0 ? section : [[], ...section]));
}

function batchRows(summary: BatchSummary, label: string, version: ReportVersion): Cell[][] {
  const { times } = summary;
  const difference = differenceText(version);
  return [
    [{ as: 'title', value: `Payout ${summary.run_id}` }],
    ...(summary.audit.broken === undefined
      ? []
      : [[{ as: 'bad', value: brokenChainText } satisfies Cell], ['Fault of the audit chain', summary.audit.broken]]),
    summary.sandbox ? [{ as: 'bad', value: 'Sandbox: no real money moved.' }] : [],
    ['Batch', summary.batch_id],
    ['Account', summary.account],
    ['Service', summary.service],
    ['Status', label],
    ['Version', version.version === null ? 'none yet' : count(version.version)],
    ['As of', time(version.as_of)],
    ...(difference === null ? [] : [[`Since version ${version.previous?.version}`, difference]]),
    ['File', summary.file_name],
    ['Submitted by', summary.created_by],
    ['Approved by', approversText(summary)],
    ['Created', time(times.created_at)],
    ['Approved', time(times.approved_at)],
    ['Started', time(times.started_at)],
    ['Finished', time(times.completed_at)],
    ['Time sending and following', times.active_ms === null ? null : durationText(times.active_ms)],
  ];
}

function rowCountRows(summary: BatchSummary): Cell[][] {
  const { rows, refunded } = summary;
  return [
    heading('Rows', 'Count', '', '', 'Meaning'),
    ...Object.entries(rows.by_status).map(([state, value]): Cell[] => {
      const { label, meaning } = rowStateTexts[state as RowState];
      return [label, count(value), null, null, meaning];
    }),
    ['in the file', count(rows.total)],
    ...(refunded.rows === 0
      ? []
      : [
          [
            'completed, and refunded since',
            count(refunded.rows),
            null,
            null,
            `Refunded: ${sumsText(refunded.amounts)}.`,
          ],
        ]),
  ];
}

function currencyRows(summary: BatchSummary): Cell[][] {
  const { requested, charged } = summary;
  const currencies = [...new Set([...Object.keys(requested.valid), ...Object.keys(charged.total)])].sort();
  return [
    heading('Currency', 'Requested (valid rows)', 'Completed', 'Charged', ''),
    ...currencies.map((currency) => [
      currency,
      decimal(requested.valid[currency] ?? null),
      decimal(requested.completed[currency] ?? null),
      decimal(charged.total[currency] ?? null),
    ]),
  ];
}

function walletRows(summary: BatchSummary): Cell[][] {
  const { balance } = summary;
  return [
    heading('Wallet', 'Currency', 'Before', 'After', ''),
    ...balance.wallets.map(({ name, currency, before, after }) => [name, currency, decimal(before), decimal(after)]),
    ...(balance.explanation.length > 0
      ? [
          [],
          heading(
            'Left the wallets',
            'Charged by this batch',
            'Charged late',
            'By other batches',
            'Came back',
            'Unexplained',
            'Currency',
          ),
        ]
      : []),
    ...balance.explanation.map((one) => [
      decimal(one.difference),
      decimal(one.charged_by_this_batch),
      decimal(one.charged_late),
      decimal(one.charged_by_other_batches),
      decimal(one.came_back),
      decimal(one.unexplained),
      one.currency,
    ]),
  ];
}

function failureRows(summary: BatchSummary): Cell[][] {
  return [
    heading('Failures by code', 'Rows', '', '', 'First reason'),
    ...Object.entries(summary.failures).map(([code, failure]) => [
      failureName(code),
      count(failure.rows),
      null,
      null,
      failure.reason && failureText(failure),
    ]),
  ];
}

function problemRows(summary: BatchSummary): Cell[][] {
  return [
    heading('Problems by code', 'Times', '', '', ''),
    ...Object.entries(summary.problems).map(([code, times]) => [code, count(times)]),
  ];
}

function originRows(summary: BatchSummary): Cell[][] {
  const { balance } = summary;
  return [
    ['SHA-256 of the file', summary.input_sha256],
    ['Program', summary.program],
    [
      'Balances read',
      [balance.before_read_at, balance.after_read_at].map((at) => (at ? timeText(at) : 'not read')).join(' and '),
    ],
  ];
}
