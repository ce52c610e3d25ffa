import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeChart } from '../../../src/reports/render/html-charts.ts';
import { makeTimelineGatherer, type Timeline } from '../../../src/reports/summary/timeline.ts';

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];
const from = Date.UTC(2026, 10, 21, 8, 6, 33, 250);

/** `rows` rows that end evenly, the last so long after the first. */
function timelineOf(rows: number, lengthMs: number, startMs = from): Timeline {
  const gatherer = makeTimelineGatherer();
  for (let row = 0; row < rows; row++)
    gatherer.add('completed', startMs + Math.round((lengthMs * row) / (rows - 1 || 1)));
  const timeline = gatherer.timeline();
  assert.ok(timeline);
  return timeline;
}

test('a timeline loses no row, and its columns have a natural width, such as 5 minutes', () => {
  const widths = [0.1, 0.5, 1, 5, 15, 30, 60, 300, 900, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400].map(
    (s) => s * second,
  );
  for (let lengthMs = 10; lengthMs < 90 * day; lengthMs *= 1.7) {
    const { bucketMs, startMs, buckets } = timelineOf(500, Math.round(lengthMs));
    assert.ok(widths.includes(bucketMs), `${bucketMs}`);
    assert.equal(startMs % bucketMs, 0);
    assert.ok(buckets.length <= 96);
    assert.equal(
      buckets.reduce((sum, { completed }) => sum + completed, 0),
      500,
    );
    assert.match(timeChart({ bucketMs, startMs, firstMs: startMs, lastMs: startMs, buckets }, null).text, /<text /);
  }
});

test('a timeline of rows that ended years apart has columns of many days', { timeout: 10_000 }, () => {
  const gatherer = makeTimelineGatherer();
  for (const years of [0, 1, 50]) gatherer.add('completed', years * 365 * 86_400_000);
  const { bucketMs, buckets } = gatherer.timeline() as Timeline;
  assert.deepEqual([bucketMs / 86_400_000, buckets.length], [256, 72]);
});

test('the chart shows round times, the width of its columns, and when the first and the last row ended', () => {
  const midnight = Date.UTC(2026, 10, 21, 22, 40);
  const chart = (timeline: Timeline) => {
    const page = timeChart(timeline, null).text;
    const marks = [...page.matchAll(/<text x="([\d.]+)%"[^>]*>([^<]*)<\/text>/g)];
    const places = marks.map(([, place]) => Number(place));
    const isInside = (place: number, half: number) => place >= half && place <= 100 - half;
    assert.ok(
      marks.every(([, place, text]) => isInside(Number(place), 1.25 * (text?.length ?? 0))),
      `${places}`,
    );
    assert.ok(
      places.every((place, at) => place - (places[at - 1] ?? -Infinity) > 20),
      `${places}`,
    );
    const words = /<p class="soft small">(.*?)<\/p>/.exec(page)?.[1];
    return { texts: marks.map(([, , text]) => text), words, places };
  };
  for (const [timeline, texts, words] of [
    [timelineOf(1, 0), ['08:06:34', '08:06:35'], 'at 2026-11-21 08:06:33 UTC. Each column is 0.1 s.'],
    [
      timelineOf(28, 2 * second),
      ['08:06:34', '08:06:35'],
      'from 2026-11-21 08:06:33 UTC to 08:06:35 UTC. Each column is 0.1 s.',
    ],
    [
      timelineOf(300, 5 * minute),
      ['08:08', '08:10'],
      'from 2026-11-21 08:06:33 UTC to 08:11:33 UTC. Each column is 5 s.',
    ],
    [
      timelineOf(10_000, 3 * hour),
      ['09:00', '10:00'],
      'from 2026-11-21 08:06:33 UTC to 11:06:33 UTC. Each column is 5 min.',
    ],
    [
      timelineOf(500, 3 * hour, midnight),
      ['23:00', '00:00', '01:00'],
      'from 2026-11-21 22:40:00 UTC to 2026-11-22 01:40:00 UTC. Each column is 5 min.',
    ],
    [
      timelineOf(500, 3 * day),
      ['2026-11-22', '2026-11-23'],
      'from 2026-11-21 08:06:33 UTC to 2026-11-24 08:06:33 UTC. Each column is 1 h.',
    ],
  ] as const) {
    const shown = chart(timeline);
    assert.deepEqual([shown.texts, shown.words], [texts, `Rows ended ${words}`]);
  }
  const long = timelineOf(10_000, 3 * hour);
  const nine = (Date.UTC(2026, 10, 21, 9) - long.startMs) / (long.bucketMs * long.buckets.length);
  assert.equal(chart(long).places[0], Number((nine * 100).toFixed(3)));
});

test('the chart shows the local time of its batch as well, at the same places', () => {
  const evening = Date.UTC(2026, 10, 21, 19, 40);
  for (const [timeline, marks, words] of [
    [
      timelineOf(10_000, 3 * hour),
      ['09:00', '12:00', '10:00', '13:00'],
      'from 2026-11-21 08:06:33 UTC to 11:06:33 UTC (11:06:33 to 14:06:33 in Africa/Nairobi). Each column is 5 min. The second line of times is local.',
    ],
    [
      timelineOf(500, 3 * hour, evening),
      ['20:00', '23:00', '21:00', '00:00', '22:00', '01:00'],
      'from 2026-11-21 19:40:00 UTC to 22:40:00 UTC (22:40:00 to 2026-11-22 01:40:00 in Africa/Nairobi). Each column is 5 min. The second line of times is local.',
    ],
    [
      timelineOf(500, 3 * day),
      ['2026-11-22', '2026-11-23'],
      'from 2026-11-21 08:06:33 UTC to 2026-11-24 08:06:33 UTC (2026-11-21 11:06:33 to 2026-11-24 11:06:33 in Africa/Nairobi). Each column is 1 h.',
    ],
    [
      timelineOf(1, 0),
      ['08:06:34', '11:06:34', '08:06:35', '11:06:35'],
      'at 2026-11-21 08:06:33 UTC (11:06:33 in Africa/Nairobi). Each column is 0.1 s. The second line of times is local.',
    ],
  ] as const) {
    const page = timeChart(timeline, 'Africa/Nairobi').text;
    assert.deepEqual(
      [...page.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text]) => text),
      marks,
    );
    assert.equal(/<p class="soft small">(.*?)<\/p>/.exec(page)?.[1], `Rows ended ${words}`);
    assert.match(page, /aria-label="Rows that ended, [^"]* in Africa\/Nairobi\)/);
  }
});
