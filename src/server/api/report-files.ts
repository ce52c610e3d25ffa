import type { FastifyInstance, FastifyRequest } from 'fastify';
import { noteWholeNumbers } from '../../operations/access/whole-numbers.ts';
import { performIn } from '../../operations/base/operation.ts';
import { listReportFiles } from '../../operations/proof/list-report-files.ts';
import type { Session } from '../../runtime/session/session.ts';
import { openReport } from '../../runtime/upkeep/report-store.ts';
import { problem, sendProblem } from '../base/problem.ts';

interface FileRoute {
  Params: { batch_id: string; name: string };
  Querystring: { version?: string; masked?: string };
}

/**
 * Adds the route of a report's file: `version` names an earlier version, `masked` the masked files. `sessionFor` gives
 * the session of whoever sends the request. Files with whole phone numbers are for people who work on batches, not for
 * those who only audit them, and the log of access keeps who has read which of them.
 */
export function addReportFiles(scope: FastifyInstance, sessionFor: (request: FastifyRequest) => Session): void {
  scope.get<FileRoute>('/batches/:batch_id/report-files/:name', async (request, reply) => {
    const session = sessionFor(request as FastifyRequest);
    const { batch_id, name } = request.params;
    const { version, masked } = request.query;
    const { folders } = await performIn(session, listReportFiles, { nameOf: (field) => field }, { batch_id });
    const folder = folders.find(
      (one) => one.is_masked === (masked === 'true') && (version === undefined || String(one.version) === version),
    );
    const file = folder?.files.find((one) => one.name === name);
    if (folder === undefined || file === undefined)
      return sendProblem(reply, problem('NOT_FOUND', `The reports of batch ${batch_id} have no such file.`));
    if (!folder.is_masked)
      await noteWholeNumbers(session, 'report.read', { batch_id, file: name, version: folder.version });
    return reply
      .type('application/octet-stream')
      .header('content-length', file.bytes)
      .header('content-disposition', `attachment; filename="${name}"`)
      .send(await openReport(session, `${folder.dir}/${name}`));
  });
}
