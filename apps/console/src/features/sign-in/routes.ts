import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/project-route.js';
import { searchOf, text } from '../../app/search.js';

/** Outside every project. `#token=…` is a one-time link; `error` is how a single sign-on ended. */
export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: searchOf({ return_to: text, error: text }),
  component: lazyRouteComponent(() => import('./sign-in-page.js'), 'SignInPage'),
});
