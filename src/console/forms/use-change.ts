import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { toast } from '../base/toast.tsx';

interface Afterwards<Result, Input> {
  /** The queries that are read again, also after a refusal: somebody else may have made the same change. */
  reads: readonly QueryKey[];
  /** The message that the change was made; null: the page shows it in another way. */
  done?: (result: Result, input: Input) => string | null;
  /** What the page does then, such as closing the dialog. */
  onDone?: (result: Result, input: Input) => void;
}

/** A change that a person makes. */
export function useChange<Result, Input = void>(
  work: (input: Input) => Promise<Result>,
  { reads, done, onDone }: Afterwards<Result, Input>,
) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: work,
    onSuccess: (result, input) => {
      const message = done?.(result, input) ?? null;
      if (message !== null) toast(message);
      onDone?.(result, input);
    },
    onSettled: () => {
      for (const queryKey of reads) void queries.invalidateQueries({ queryKey });
    },
  });
}
