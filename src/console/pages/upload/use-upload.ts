import { useState } from 'react';
import { useLocation } from 'wouter';
import { untilAnswered } from '../../api/until-answered.ts';
import { draftPath } from '../../base/values.tsx';
import { type DraftSummary, draftsOf, makeUpload, type Upload, uploadFile } from './upload-queries.ts';

interface Sending {
  isSending: boolean;
  /** Whether the server does not answer: the file is sent once it does. */
  isWaiting: boolean;
  error: unknown;
  /** Drafts of the same file: the person opens one, or starts a new one. */
  known: readonly DraftSummary[];
  take: (file: File | undefined) => void;
  retry: () => void;
  startNew: () => void;
  forget: () => void;
}

/** Sends a file, and opens its draft. A file that is known already is not sent before the person has decided. */
export function useUpload(account: string | null): Sending {
  const [, go] = useLocation();
  const [upload, setUpload] = useState<Upload | null>(null);
  const [isSending, setSending] = useState(false);
  const [isWaiting, setWaiting] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [known, setKnown] = useState<readonly DraftSummary[]>([]);
  /** An upload that was cut may have arrived: it is asked for before it is sent again. */
  const send = async (made: Upload, isAnew: boolean): Promise<void> => {
    let before: ReadonlySet<string> | null = null;
    const draft = await untilAnswered(async (key) => {
      const there = await draftsOf(made, account);
      const arrived = before && there.find(({ draft_id }) => !before?.has(draft_id));
      if (arrived) return arrived;
      before ??= new Set(there.map(({ draft_id }) => draft_id));
      if (there.length > 0 && !isAnew) {
        setKnown(there);
        return null;
      }
      return uploadFile(made, { account, isAnew, key });
    }, setWaiting);
    // A link to the page may name the run.
    if (draft !== null) go(draftPath(draft.draft_id) + location.search);
  };
  const begin = async (work: () => Promise<void>) => {
    setSending(true);
    setError(null);
    setKnown([]);
    await work().catch(setError);
    setSending(false);
  };
  const start = async (file: File) => {
    const made = await makeUpload(file);
    setUpload(made);
    await send(made, false);
  };
  const again = (isAnew: boolean) => upload && void begin(() => send(upload, isAnew));
  return {
    ...{ isSending, isWaiting, error, known },
    take: (file) => file !== undefined && !isSending && void begin(() => start(file)),
    retry: () => again(false),
    startNew: () => again(true),
    forget: () => setKnown([]),
  };
}
