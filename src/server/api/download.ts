import { createReadStream } from 'node:fs';
import type { FastifyReply } from 'fastify';
import type { ApiAnswer } from '../../ledger/access/api-requests.ts';

/** What an operation says of a file that is to be sent. */
interface FileToSend {
  path: string;
  file_name: string;
  media_type: string;
  bytes: number;
}

/** Sends the file that an operation names, piece by piece; an answer that is a problem as it is. */
export function sendFile(reply: FastifyReply, { status, body }: ApiAnswer): FastifyReply {
  if (status >= 400) return reply.code(status).type('application/problem+json').send(body);
  const { path, file_name, media_type, bytes } = JSON.parse(body) as FileToSend;
  return reply
    .type(media_type)
    .header('content-length', bytes)
    .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(file_name)}`)
    .send(createReadStream(path));
}
