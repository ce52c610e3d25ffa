import { dirname, join } from 'node:path';
import { differenceText, isPreviousThere, versionText } from '../../reports/sentences/version-text.ts';
import { isBucketPlace } from '../../reports/store/object-store.ts';
import type { WrittenReports } from '../../reports/versions/version-shape.ts';
import { versionsFolder } from '../../reports/versions/versions.ts';
import { shownFolder } from './path-of.ts';

/**
 * Says which version of a batch's reports was written, how it differs from the previous version, and where that one is;
 * or says that nothing has changed.
 */
export function versionSentence(reports: WrittenReports, cwd: string): string {
  const which = versionText(reports);
  if (!reports.is_new) return `Nothing has changed since ${which}.`;
  const difference = differenceText(reports);
  if (difference === null) return `This is ${which}.`;
  if (!isPreviousThere(reports)) return `This is ${which}. ${difference}`;
  const folder = shownFolder(
    cwd,
    isBucketPlace(reports.dir) ? dirname(reports.dir) : join(reports.dir, versionsFolder),
  );
  const naming = reports.difference?.forgotten ? ', and still names whom it paid' : '';
  return `This is ${which}. ${difference} Version ${reports.previous?.version} is kept in ${folder}/${naming}.`;
}
