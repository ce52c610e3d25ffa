import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { type Answer, answered, api } from '../../api/client.ts';
import { Loaded } from '../../base/failure.tsx';
import { formatAmount, formatTime } from '../../texts/format.ts';
import { intlLocale, t } from '../../texts/i18n.ts';
import './chart.css';

type Balances = Answer<'/api/v1/accounts/{account}/balances'>['balances'];

const heightPx = 160;

/** One wallet over time. Floats are exact enough to draw a line; texts are formatted from the decimals. */
interface Series {
  id: string;
  name: string;
  currency: string;
  points: { at: number; balance: string }[];
}

/** The balances of an account at the beginnings and ends of batches: one chart for each wallet that has changed. */
export function BalanceCharts({ account }: { account: string }) {
  const query = useQuery({
    queryKey: ['balances', account],
    queryFn: () => answered(api.GET('/api/v1/accounts/{account}/balances', { params: { path: { account } } })),
  });
  return (
    <Loaded query={query}>
      {({ balances }) => {
        const moved = seriesOf(balances).filter(({ points }) => new Set(points.map(({ balance }) => balance)).size > 1);
        return (
          <div className="columns charts">
            {moved.map((series) => (
              <Chart key={series.id} series={series} />
            ))}
          </div>
        );
      }}
    </Loaded>
  );
}

function seriesOf(balances: Balances): Series[] {
  const series = new Map<string, Series>();
  for (const { read_at, wallets } of balances)
    for (const { wallet_id, name, currency, balance } of wallets) {
      const one = series.get(wallet_id) ?? { id: wallet_id, name, currency, points: [] };
      one.points.push({ at: Date.parse(read_at) / 1_000, balance });
      series.set(wallet_id, one);
    }
  return [...series.values()];
}

function Chart({ series: { name, currency, points } }: { series: Series }) {
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
    const plot = new uPlot(
      {
        ...{ width: element.clientWidth, height: heightPx, legend: { show: false }, cursor: { show: false } },
        scales: { y: { range: (_plot, _low, high) => [0, high * 1.1] } },
        axes: [
          { ...axis, values: (_plot, times) => times.map(tickOf(times)) },
          { ...axis, size: 72, values: (_plot, values) => values.map((value) => formatAmount(String(value), '')) },
        ],
        series: [
          {},
          {
            stroke: () => colourIn(element, '--accent'),
            width: 2,
            points: { size: 5 },
            ...(uPlot.paths.stepped === undefined ? {} : { paths: uPlot.paths.stepped({ align: 1 }) }),
          },
        ],
      },
      [points.map(({ at }) => at), points.map(({ balance }) => Number(balance))],
      element,
    );
    const watching = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: heightPx }));
    watching.observe(element);
    return () => {
      watching.disconnect();
      plot.destroy();
    };
  }, [points]);
  return (
    <figure>
      <figcaption className="small quiet">
        {label}
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
