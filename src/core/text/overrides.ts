import { z } from 'zod';
import { shapeFaults } from './shape-faults.ts';

/**
 * Fields that override others of the same shape: they are checked, and only the given ones remain, without defaults.
 */
export function overrides(shape: z.ZodType) {
  return z
    .record(z.string(), z.unknown())
    .default({})
    .superRefine((given, context) => {
      for (const { path, says } of shapeFaults(shape, given)) context.addIssue({ code: 'custom', path, message: says });
    });
}
