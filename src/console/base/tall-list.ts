import { observeElementOffset, useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, type RefObject, useState } from 'react';

/** Browsers cut an element that is higher (px): Firefox at 17.9 million, others at 33.5 million. */
const heightMax = 15_000_000;

/** Room for the bar by which a list is moved sideways (px): a short list takes no more of the page than it needs. */
const aroundRows = 18;

/** The height of a row (px): as high as a control of the styles, so that a thumb hits it on a phone. */
function rowHeightNow(): number {
  return Number.parseInt(getComputedStyle(document.documentElement).getPropertyValue('--control'), 10);
}

interface TallList {
  /** The element that scrolls. */
  frame: RefObject<HTMLElement | null>;
  count: number;
  rowsAround: number;
}

/**
 * The rows in view of a list of any length, and where they are drawn. A list that is higher than an element can be is
 * scrolled faster than the element: otherwise nobody would reach its last rows.
 */
export function useTallList({ frame, count, rowsAround }: TallList) {
  const [rowHeight] = useState(rowHeightNow);
  const total = count * rowHeight;
  const height = Math.min(total, heightMax);
  const [, redraw] = useState(0);
  /** How far the list moves for each pixel of the element. */
  const scaleNow = () => {
    const { scrollHeight = 0, clientHeight = 0 } = frame.current ?? {};
    const scrolled = scrollHeight - clientHeight;
    return height === total || scrolled <= 0 ? 1 : (scrolled + total - height) / scrolled;
  };
  const virtual = useVirtualizer<HTMLElement, Element>({
    ...{ count, getScrollElement: () => frame.current, estimateSize: () => rowHeight, overscan: rowsAround },
    observeElementOffset: (one, onOffset) =>
      observeElementOffset(one, (offset, isScrolling) => {
        onOffset(offset * scaleNow(), isScrolling);
        // Each step moves the rows that are drawn, not only the frame.
        if (height !== total) redraw(offset);
      }),
  });
  const top = frame.current?.scrollTop ?? 0;
  const ahead = top * (scaleNow() - 1);
  const show = (index: number) => {
    const element = frame.current;
    if (element === null || height === total) return virtual.scrollToIndex(index);
    const [from, scale] = [index * rowHeight, scaleNow()];
    const seen = element.scrollTop * scale;
    // The head of the list covers a row.
    const lowest = from + 2 * rowHeight - element.clientHeight;
    if (from < seen) element.scrollTop = from / scale;
    else if (lowest > seen) element.scrollTop = Math.ceil(lowest / scale);
  };
  const items = virtual.getVirtualItems().map(({ index, start }) => ({ index, start: start - ahead }));
  // With the head of the list.
  const maxHeight = (count + 1) * rowHeight + aroundRows;
  const frameStyle = { maxHeight, '--row-height': `${rowHeight}px` } as CSSProperties;
  return { items, height, show, rowHeight, frameStyle };
}
