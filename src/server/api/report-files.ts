import type { FastifyInstance, FastifyRequest } from 'fastify';
import { openReportFile } from '../../operations/proof/report-file.ts';
import type { Session } from '../../runtime/session/session.ts';
import { problem, sendProblem } from '../base/problem.ts';

interface FileRoute {
  Params: { batch_id: string; name: string };
  Querystring: { version?: string; masked?: string };
}

/**
 * Adds the route of a report's file: `version` names an earlier version, `masked` the masked files. `sessionFor` gives
 * the session of the person or the API key that sends the request.
 */
export function addReportFiles(scope: FastifyInstance, sessionFor: (request: FastifyRequest) => Session): void {
  scope.get<FileRoute>('/batches/:batch_id/report-files/:name', async (request, reply) => {
    const { batch_id, name } = request.params;
    const { version, masked } = request.query;
    const file = await openReportFile(sessionFor(request as FastifyRequest), {
      batch_id,
      name,
      version: version === undefined ? undefined : Number(version),
      isMasked: masked === 'true',
    });
    if (file === null)
      return sendProblem(reply, problem('NOT_FOUND', `The reports of batch ${batch_id} have no such file.`));
    return reply
      .type('application/octet-stream')
      .header('content-length', file.bytes)
      .header('content-disposition', `attachment; filename="${name}"`)
      .send(file.content);
  });
}
