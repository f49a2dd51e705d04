import { giveFeedback } from '../../core/feedback/commands.ts';
import { FeedbackRequest, GivenFeedback } from '../../shared/schemas/feedback.ts';
import { errorCodes } from '../http/openapi/declared-errors.ts';
import type { Routes } from '../types.ts';

/** POST /v1/memory/feedback: what a caller says of a hit of their search. */
export const feedbackRoutes: Routes = (app, deps) => {
  app.post(
    '/v1/memory/feedback',
    {
      config: { permission: 'memory:read' },
      schema: {
        operationId: 'giveFeedback',
        summary: 'Tell that a hit of your search was useful, wrong or outdated',
        description:
          'A second verdict on the same hit replaces the first. `wrong` and `outdated` put the memory or the source into the ' +
          'list of memories in review. It stays published, and searches find it, until someone decides.',
        tags: ['memory'],
        body: FeedbackRequest,
        response: { 201: GivenFeedback },
        errors: errorCodes('not_found', 'team_archived', 'secret_detected'),
      },
    },
    async ({ body, teamScope }, reply) => {
      const given = await giveFeedback(deps, teamScope, body);
      reply.code(201);
      return given;
    },
  );
};
