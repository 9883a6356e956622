/** Created on first use: formatters and collators cost the browser more than much of a page. */
export function once<Made>(make: () => Made): () => Made {
  let made: { it: Made } | undefined;
  return () => (made ??= { it: make() }).it;
}
