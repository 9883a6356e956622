/**
 * Languages whose words Postgres can stem, as its configurations are named, with words that a text of the language can
 * hardly avoid and that its neighbours do not use.
 */
const common: Record<string, string> = {
  danish: 'og ikke jeg det af til hvordan hvad kan skal blev mig dig efter eller hvor når også fra',
  dutch: 'het een niet van en ik zijn mijn wij hoe wat kan voor naar wordt deze dit bij ook aan uw',
  english: 'the and of to is in you your my how what do does are can with for that it this when not we be or by',
  finnish: 'ja on ei että mitä miten voi olen se tai kun minun meidän sitä myös ovat voinko mutta jos',
  french: 'le la les des est une je vous mon ma mes du au aux pour dans avec quel quelle comment où pas sur et ce',
  german: 'der die das und ist nicht ich wir sie mein wie was kann für mit ein eine bei auf zu den dem von wo im es',
  hungarian: 'és nem hogy egy van meg vagy mit miért hogyan lehet kell ez az mikor hol nekem csak',
  indonesian: 'dan yang tidak saya untuk dari dengan bagaimana bisa ini itu apa apakah atau ke di kami anda',
  italian: 'il lo gli di che non è una io mio per con come dove posso del della nel sono si alla anche quando',
  norwegian: 'og ikke jeg det av til hvordan hva kan skal ble meg deg etter eller hvor når også fra',
  portuguese: 'o os do da não é uma um eu meu minha para com como onde posso em no na são ao mais você quando',
  romanian: 'și nu este să un o mea meu pentru cu cum unde pot din la în sunt care ce când',
  spanish: 'el los las de que no es una yo mi mis para con cómo dónde puedo del en se un por su más si cuándo al',
  swedish: 'och inte jag det av till hur vad kan ska blev mig dig efter eller var när också från är',
  turkish: 've bir bu için nasıl değil ne mi mı ben çok daha ile var yok olarak nerede zaman',
};

const scripts: [RegExp, string][] = [
  [/\p{Script=Cyrillic}/u, 'russian'],
  [/\p{Script=Greek}/u, 'greek'],
  [/\p{Script=Arabic}/u, 'arabic'],
  [/\p{Script=Devanagari}/u, 'hindi'],
  [/\p{Script=Tamil}/u, 'tamil'],
  [/\p{Script=Armenian}/u, 'armenian'],
];

/** Languages that a document may be declared to be in. */
export const languages = [...Object.keys(common), ...scripts.map(([, language]) => language)].toSorted();

const languagesOf = new Map<string, string[]>();
for (const [language, words] of Object.entries(common)) {
  for (const word of words.split(' ')) languagesOf.set(word, [...(languagesOf.get(word) ?? []), language]);
}

/**
 * The language that most of the words speak for, where one is ahead.
 * @param words in lower case, repeated as often as they occur
 * @returns the name of a text search configuration of Postgres; null: none is clearly ahead
 */
export function languageOf(words: string[]): string | null {
  const votes = new Map<string, number>();
  for (const word of words) {
    for (const language of languagesOf.get(word) ?? []) votes.set(language, (votes.get(language) ?? 0) + 1);
    const script = scripts.find(([letter]) => letter.test(word))?.[1];
    if (script) votes.set(script, (votes.get(script) ?? 0) + 1);
  }
  const [first, second] = [...votes].toSorted(([, one], [, other]) => other - one);
  return first && first[1] > (second?.[1] ?? 0) ? first[0] : null;
}
