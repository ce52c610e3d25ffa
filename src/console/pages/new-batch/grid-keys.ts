/** A cell of the grid: the position of its row among the shown ones, and its column. */
export interface Cell {
  index: number;
  column: number;
}

export type Move = 'up' | 'down' | 'left' | 'right' | 'page-up' | 'page-down' | 'first' | 'last' | 'top' | 'bottom';

export type Action =
  | { kind: 'undo' | 'redo' | 'clear' | 'cancel' | 'row' }
  /** Opens the cell: with its text, or with what was typed. */
  | { kind: 'open'; text: string | null }
  | { kind: 'move'; move: Move };

interface Key {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
}

const moves: Readonly<Record<string, Move>> = {
  ...{ ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' },
  ...{ PageUp: 'page-up', PageDown: 'page-down', Home: 'first', End: 'last' },
};

/** The action of a key; null if the browser decides. `isTyping`: a cell is open. */
export function actionOf({ key, ctrlKey, metaKey, shiftKey, altKey }: Key, isTyping: boolean): Action | null {
  const isCommand = ctrlKey || metaKey;
  if (key === 'Escape') return isTyping ? { kind: 'cancel' } : null;
  if (isTyping) return key === 'Enter' ? { kind: 'move', move: shiftKey ? 'up' : 'down' } : null;
  if (isCommand && key.toLowerCase() === 'z') return { kind: shiftKey ? 'redo' : 'undo' };
  if (isCommand && key.toLowerCase() === 'y') return { kind: 'redo' };
  if (isCommand && key === 'Home') return { kind: 'move', move: 'top' };
  if (isCommand && key === 'End') return { kind: 'move', move: 'bottom' };
  if (isCommand && key === 'Delete') return { kind: 'row' };
  if (isCommand || altKey) return null;
  if (key === 'Enter' || key === 'F2') return { kind: 'open', text: null };
  if (key === 'Delete' || key === 'Backspace') return { kind: 'clear' };
  const move = moves[key];
  if (move !== undefined) return { kind: 'move', move };
  return [...key].length === 1 ? { kind: 'open', text: key } : null;
}

/** The target of a move, before it is limited to the grid. */
export function movedTo(
  { index, column }: Cell,
  move: Move,
  { page, count, columns }: { page: number; count: number; columns: number },
): Cell {
  switch (move) {
    case 'up':
      return { index: index - 1, column };
    case 'down':
      return { index: index + 1, column };
    case 'left':
      return { index, column: column - 1 };
    case 'right':
      return { index, column: column + 1 };
    case 'page-up':
      return { index: index - page, column };
    case 'page-down':
      return { index: index + page, column };
    case 'first':
      return { index, column: 0 };
    case 'last':
      return { index, column: columns - 1 };
    case 'top':
      return { index: 0, column };
    case 'bottom':
      return { index: count - 1, column };
  }
}
