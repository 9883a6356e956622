// The whole description of the API, made of what the services say of their routes; none is started.
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../launcher/project.mjs';

const sources = pathToFileURL(join(root, 'apps/')).href;
const built = pathToFileURL(join(root, 'dist/apps/')).href;
const tests = pathToFileURL(join(root, 'test/')).href;

/**
 * Node strips types but knows no decorators, so services are loaded as built, with the packages that the build joined: what
 * describes them needs the same copy of Nest. The generator of types needs the compiler's older API.
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

/** What each service describes, and the document that the portal makes of it. Needs the build. */
export async function describedApi() {
  resolveForGeneration();
  const { describedServices } = await import('../../test/contract/described-services.ts');
  const { wholeDocument } = await import(join(built, 'portal/src/documentation/whole-document.js'));
  const services = await describedServices();
  return { services, document: wholeDocument(services, []) };
}
