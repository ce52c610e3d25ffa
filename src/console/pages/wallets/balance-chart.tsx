import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { get } from '../../api/client.ts';
import { Loaded } from '../../base/failure.tsx';
import { formatAmount, formatTime } from '../../texts/format.ts';
import { intlLocale, t } from '../../texts/i18n.ts';
import { type Series, seriesOf } from './balance-series.ts';
import { useMoneyForecast } from './money-forecast.tsx';
import './chart.css';

const heightPx = 160;

/**
 * A forecast may be this many times as long as the balances before it. The chart cuts off the rest, because the
 * balances would shrink to a speck. A month of balances leaves room for a year, the longest forecast.
 */
const aheadTimesMax = 12;

/**
 * The balances of an account at the beginnings and ends of batches, and until they run out by the forecast: one chart
 * for each wallet that has changed.
 */
export function BalanceCharts({ account }: { account: string }) {
  const query = useQuery({
    queryKey: ['balances', account],
    queryFn: () => get('/api/v1/accounts/{account}/balances', { path: { account } }),
  });
  const { data: forecast } = useMoneyForecast(account);
  return (
    <Loaded query={query}>
      {({ balances }) => (
        <div className="columns charts">
          {seriesOf(balances, forecast).map((series) => (
            <Chart key={series.id} series={series} />
          ))}
        </div>
      )}
    </Loaded>
  );
}

function Chart({ series: { name, currency, points, emptyAt } }: { series: Series }) {
  const frame = useRef<HTMLDivElement>(null);
  const [first, last] = [points[0], points.at(-1)];
  const label = t('wallets.chart', {
    wallet: name,
    first: formatAmount(first?.balance ?? '0', currency),
    last: formatAmount(last?.balance ?? '0', currency),
    currency,
  });
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const axis = {
      stroke: () => colourIn(element, '--text-quiet'),
      grid: { stroke: () => colourIn(element, '--edge'), width: 1 },
    };
    const ahead = emptyAt === null ? [] : [...points.slice(-1), { at: emptyAt, balance: '0' }];
    const line = { stroke: () => colourIn(element, '--accent'), width: 2 };
    const times = points.map(({ at }) => at);
    const plot = new uPlot(
      {
        ...{ width: element.clientWidth, height: heightPx, legend: { show: false }, cursor: { show: false } },
        scales: {
          x: { range: (_plot, from, to) => [from, Math.min(to, from + (1 + aheadTimesMax) * spanOf(times))] },
          y: { range: (_plot, _low, high) => [0, high * 1.1] },
        },
        axes: [
          { ...axis, values: (_plot, times) => times.map(tickOf(times)) },
          { ...axis, size: 72, values: (_plot, values) => values.map((value) => formatAmount(String(value), '')) },
        ],
        series: [
          {},
          {
            ...{ ...line, points: { size: 5 } },
            ...(uPlot.paths.stepped === undefined ? {} : { paths: uPlot.paths.stepped({ align: 1 }) }),
          },
          { ...line, dash: [4, 4], points: { show: false } },
        ],
      },
      [
        [...times, ...ahead.slice(1).map(({ at }) => at)],
        [...points.map(({ balance }) => Number(balance)), ...ahead.slice(1).map(() => null)],
        [...times.slice(1).map(() => null), ...ahead.map(({ balance }) => Number(balance))],
      ],
      element,
    );
    const watching = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: heightPx }));
    watching.observe(element);
    return () => {
      watching.disconnect();
      plot.destroy();
    };
  }, [points, emptyAt]);
  return (
    <figure>
      <figcaption className="small quiet">
        {label}
        {emptyAt !== null && <> · {t('wallets.chart_ahead')}</>}
        {first !== undefined && last !== undefined && (
          <span className="hidden-text">
            {formatTime(first.at * 1_000)} – {formatTime(last.at * 1_000)}
          </span>
        )}
      </figcaption>
      <div ref={frame} className="chart" aria-hidden="true" />
    </figure>
  );
}

function spanOf(times: readonly number[]): number {
  return (times.at(-1) ?? 0) - (times[0] ?? 0);
}

/** A colour of the tokens for a canvas, in the present colour scheme. */
function colourIn(element: HTMLElement, token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const daySeconds = 86_400;
const minuteSeconds = 60;

/** How the times below a chart are written: as days, or as times of a day where several are of the same day. */
function tickOf(times: readonly number[]): (seconds: number) => string {
  const step = (times[1] ?? Number.POSITIVE_INFINITY) - (times[0] ?? 0);
  const two = '2-digit' as const;
  const time = { hour: two, minute: two, ...(step < minuteSeconds ? { second: two } : {}) };
  const { format } = new Intl.DateTimeFormat(
    intlLocale(),
    step >= daySeconds ? { day: 'numeric', month: 'short' } : time,
  );
  return (seconds) => format(new Date(seconds * 1_000));
}
