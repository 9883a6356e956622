/** The JSON form of a type: a date is a text. */
export type Json<T> = T extends Date
  ? string
  : T extends (infer Item)[]
    ? Json<Item>[]
    : T extends object
      ? { [Name in keyof T]: Json<T[Name]> }
      : T;

/** Why a request was refused, as every service reports it. */
export interface Refusal {
  code: string;
  detail: string;
  errors: { field: string; message: string }[];
}

/** A service's answer: its status says whether the body is the view or a refusal. */
export interface Answer<View = unknown> {
  status: number;
  body: Json<View> & Omit<Refusal, keyof View>;
}

/** A table of routes: `GET adapters/${string}` and the view it answers. Longer patterns come before their prefixes. */
export type RouteTable = [pattern: string, view: unknown][];

/** What a route answers, by the first matching row, ignoring its query. */
export type ViewOf<Route extends string, Table extends RouteTable> = Route extends `${infer Path}?${string}`
  ? RowOf<Path, Table>
  : RowOf<Route, Table>;

type RowOf<Path extends string, Table> = Table extends [[infer Pattern, infer View], ...infer Rest]
  ? Path extends Pattern
    ? View
    : RowOf<Path, Rest>
  : unknown;
