import { list } from '#libs/service-kit';
import { WrongSettings } from '#libs/settings';

/** What a provider lists, in US dollars for a million tokens. */
export interface ListPrice {
  input: number;
  output: number;
  /** Of input that is read from the provider's cache; null: not known, and counted as any input. */
  cached: number | null;
  /** Of input that the provider is asked to cache; null: as any input. */
  cache_write: number | null;
  /** The day on which the provider began to list it. Whether it still does, the source says. */
  date: string;
  /** The provider's page of prices. */
  source: string;
}

/** Per million tokens, in the installation's currency. */
export interface ModelPrice {
  input: number;
  output: number;
  /** Of input that the provider reads from its cache; absent: as any input. */
  cached?: number;
  /** Of a minute of audio that it transcribes. Absent: not known. */
  minute?: number;
}

interface Given {
  MODEL_BASE_URL: string | null;
  MODEL_NAME: string | null;
}

/**
 * Checks that the model settings fit together.
 * @throws Error when there is an endpoint but no model: every turn of an agent that names none would fail
 */
export function checkedModel<T extends Given>(settings: T): T {
  if (settings.MODEL_BASE_URL && !settings.MODEL_NAME) {
    throw new WrongSettings(['MODEL_BASE_URL is set and MODEL_NAME is not: name a model that it serves']);
  }
  return settings;
}

const modelInputs = ['text', 'image', 'pdf'];

/** @throws Error for what no model takes, such as a misspelt word: images would be left out without a word */
export function readInputs(name: string, value: string | undefined): string[] {
  const given = list(name, value);
  const wrong = given.find((each) => !modelInputs.includes(each));
  if (wrong !== undefined)
    throw new Error(
      `${name} has ${JSON.stringify(wrong)}: write text, or text with image, pdf or both: text,image,pdf`,
    );
  return given;
}

/** @throws Error for what is no code of ISO 4217: costs could not be written in it */
export function readCurrency(name: string, value: string | undefined): string {
  const code = value || 'USD';
  if (!/^[A-Z]{3}$/.test(code))
    throw new Error(`${name} is ${JSON.stringify(value)}: write three capitals, such as EUR`);
  return code;
}

/**
 * Reads `{"<model>": {"input": 0.5, "output": 1.5, "cached": 0.05}}`; of a model that transcribes, `{"minute": 0.006}`.
 * @throws Error that says what is wrong
 */
export function readPrices(value: unknown): Record<string, ModelPrice> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('MODEL_PRICES is not an object');
  return Object.fromEntries(
    Object.entries(value).map(([model, price]): [string, ModelPrice] => {
      const given = (price ?? {}) as Partial<ModelPrice>;
      const { input, output, cached = 0, minute = 0 } = 'minute' in given ? { input: 0, output: 0, ...given } : given;
      if (![input, output, cached, minute].every((each) => typeof each === 'number' && each >= 0)) {
        throw new Error(
          `MODEL_PRICES: ${model} needs "input" and "output", and may have "cached", or needs "minute": numbers from 0`,
        );
      }
      return [model, { input: 0, output: 0, ...given }];
    }),
  );
}
