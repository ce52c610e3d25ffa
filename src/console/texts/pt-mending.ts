import { draft } from './pt/draft.ts';
import { problems } from './pt/problems.ts';

/** The texts of the pages on which files are mended: no other page loads them. */
export const texts = { ...draft, ...problems };
