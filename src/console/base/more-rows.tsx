import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { Button } from './button.tsx';

interface MoreRowsProps {
  query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
  label: string;
  /** Whether it is the last line of a card whose content reaches its edges. */
  isInCard?: boolean;
}

/** A button that loads the next page of a list; nothing after the last page. */
export function MoreRows({ query, label, isInCard = false }: MoreRowsProps) {
  if (!query.hasNextPage) return null;
  return (
    <div className={isInCard ? 'card-head' : undefined}>
      <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {label}
      </Button>
    </div>
  );
}
