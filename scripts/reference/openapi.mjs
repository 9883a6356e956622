// The whole API description, from what the services describe. No service is started.
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../launcher/project.mjs';

const sources = pathToFileURL(join(root, 'apps/')).href;
const built = pathToFileURL(join(root, 'dist/apps/')).href;
const tests = pathToFileURL(join(root, 'test/')).href;

/**
 * Node strips types but does not support decorators, so the built services are loaded, with the packages that the build
 * joined: their descriptions need the same copy of Nest. The type generator needs the compiler's older API.
 */
function resolveForGeneration() {
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'typescript') return next('typescript-5', context);
      if (context.parentURL?.startsWith(tests) && /^[a-z@]/.test(specifier) && !specifier.startsWith('node:')) {
        return next(specifier, { ...context, parentURL: built });
      }
      const url =
        specifier.startsWith('.') && context.parentURL ? new URL(specifier, context.parentURL).href : specifier;
      return next(url.startsWith(sources) ? url.replace(sources, built) : specifier, context);
    },
  });
}

/** Each service's description, and the document that the portal makes of them. Needs the build. */
export async function describedApi() {
  resolveForGeneration();
  const { describedServices } = await import('../../test/contract/described-services.ts');
  const { wholeDocument } = await import(join(built, 'portal/src/documentation/whole-document.js'));
  const services = await describedServices();
  return { services, document: wholeDocument(services, []) };
}
