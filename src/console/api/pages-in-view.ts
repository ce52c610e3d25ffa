import { useCallback, useState } from 'react';

/** Which pages of a long list are in view, by their numbers from 0. */
export function usePagesInView(pageRows: number) {
  const [pages, setPages] = useState<readonly number[]>([0]);
  /** For `onShow` of a grid: the first and the last row in view. */
  const onShow = useCallback(
    (first: number, last: number) => {
      const [from, to] = [Math.floor(first / pageRows), Math.floor(last / pageRows)];
      const shown = Array.from({ length: to - from + 1 }, (_, index) => from + index);
      setPages((before) => (before.join() === shown.join() ? before : shown));
    },
    [pageRows],
  );
  return { pages, onShow };
}
