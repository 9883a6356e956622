import JestRuntime from 'jest-runtime';
import { existsSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
/** What Jest's transformer is asked for: ES modules, as Node runs them. */
const asModules = {
  isInternalModule: false,
  supportsDynamicImport: true,
  supportsExportNamespaceFrom: true,
  supportsStaticESM: true,
  supportsTopLevelAwait: true,
};
/**
 * Loaded sources: the address by which a stack names one, and the file of its source map. @type {Map<string, string>}
 */
const sourceMaps = new Map();
/** @type {ConstructorParameters<typeof JestRuntime>[3] | undefined} */
let transformer;
let loads = 0;

/** @param {string} specifier @param {string | undefined} parent @returns {string} */
function withSource(specifier, parent) {
  if (!specifier.startsWith('.') || !specifier.endsWith('.js') || !parent) return specifier;
  const source = new URL(specifier.replace(/js$/, 'ts'), parent);
  return existsSync(source) ? source.href : specifier;
}

registerHooks({
  resolve: (specifier, context, next) =>
    next(withSource(specifier, context.parentURL), {
      ...context,
      conditions: [...context.conditions, 'gatehouse-source'],
    }),
  load(url, context, next) {
    const file = url.startsWith('file:') ? fileURLToPath(url) : '';
    if (!transformer || !file.endsWith('.ts') || file.includes('/node_modules/')) return next(url, context);
    const { code, sourceMapPath } = transformer.transform(file, asModules);
    if (sourceMapPath) sourceMaps.set(url, sourceMapPath);
    return { format: 'module', source: code, shortCircuit: true };
  },
});

/**
 * Runs specs in Node's own modules instead of one virtual machine per file. Whatever a worker has loaded, packages and
 * sources, serves all its files, which saves half of a run's processor time. So no module may keep state that another
 * file would see; a spec file itself and the files of `setupFilesAfterEnv` are loaded each time.
 */
export default class SharedRuntime extends JestRuntime {
  /** @param {ConstructorParameters<typeof JestRuntime>} args */
  constructor(...args) {
    super(...args);
    transformer = args[3];
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  /** @param {string} path */
  unstable_importModule(path) {
    return import(`${pathToFileURL(path)}?${++loads}`);
  }

  /**
   * The framework is loaded anew, because it keeps what a file has declared. @param {string} from @param {string} [to]
   */
  requireInternalModule(from, to) {
    if (to) return super.requireInternalModule(from, to);
    delete require.cache[from];
    return require(from);
  }

  getSourceMaps() {
    return sourceMaps;
  }
}
