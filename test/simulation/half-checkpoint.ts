import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { SeededRandom } from './seeded-random.ts';

const pageBytes = 4_096;

/**
 * The database file as a loss of power leaves it in the middle of a timed checkpoint: pages of the log are copied, or
 * are not, or in part, in whatever order the disk took them. `scratch` is a path that nobody uses.
 */
export function halfCheckpointed(scratch: string, main: Buffer, log: Buffer, random: SeededRandom): Buffer {
  writeFileSync(scratch, main);
  writeFileSync(`${scratch}-wal`, log);
  const database = new DatabaseSync(scratch);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  const whole = readFileSync(scratch);
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${scratch}${suffix}`, { force: true });
  const mixed = Buffer.alloc(whole.length);
  main.copy(mixed);
  for (let at = 0; at < whole.length; at += pageBytes) {
    const copied = random.percent(50) ? pageBytes : random.percent(10) ? random.between(1, pageBytes) : 0;
    whole.copy(mixed, at, at, at + copied);
  }
  return mixed;
}
