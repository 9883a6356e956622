import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { attentionQuestion } from '../../api/attention.js';
import { appsQuestion } from '../../api/choices.js';
import { prefetch, prefetchList } from '../../api/project-query.js';
import { projectRoute } from '../../app/project-route.js';
import {
  askRecent,
  lastHourQuestion,
  modelQuestion,
  queuesQuestion,
  recentKey,
  verificationQuestion,
} from './questions.js';

export const homeRoutes = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: '/',
    loader: ({ context: { queryClient }, params: { projectId } }) => {
      prefetchList(queryClient, projectId, recentKey, askRecent);
      prefetch(
        queryClient,
        projectId,
        appsQuestion,
        verificationQuestion,
        modelQuestion,
        attentionQuestion,
        lastHourQuestion,
        queuesQuestion,
      );
    },
    component: lazyRouteComponent(() => import('./home-page.js'), 'HomePage'),
  }),
] as const;
