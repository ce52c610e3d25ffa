import type { FastifyReply } from 'fastify';
import { type PackFile, packStream } from '../../operations/proof/audit-pack.ts';
import type { Session } from '../../runtime/session/session.ts';
import { openReport } from '../../runtime/upkeep/report-store.ts';

/** What an operation says of a file that is to be sent. */
interface FileToSend {
  path: string;
  file_name: string;
  media_type: string;
  bytes: number;
}

/** What an operation says of files that are sent as one zip file. */
interface PackToSend {
  file_name: string;
  pack: PackFile[];
}

/** Sends the file that the result of an operation names, piece by piece. */
export async function sendFile(session: Session, reply: FastifyReply, body: string): Promise<FastifyReply> {
  const sent = JSON.parse(body) as FileToSend | PackToSend;
  reply.header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(sent.file_name)}`);
  if ('pack' in sent)
    return reply.type('application/zip').send(packStream(sent.pack, (path) => openReport(session, path)));
  const content = await openReport(session, sent.path);
  return reply.type(sent.media_type).header('content-length', sent.bytes).send(content);
}
