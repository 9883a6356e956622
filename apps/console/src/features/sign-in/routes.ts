import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../app/root-route.js';
import { searchOf, text } from '../../app/search.js';

/** Outside of every project. `#token=…` is a one-time link; `error` is how a sign-in elsewhere ended. */
export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: searchOf({ return_to: text, error: text }),
  component: lazyRouteComponent(() => import('./sign-in-page.js'), 'SignInPage'),
});
