export interface RedactionSettings {
  /** Values by the names that stand in their place. */
  secrets?: Readonly<Record<string, string>> | undefined;
  /** Parameters of addresses whose values are left out. */
  redactUrlParams?: readonly string[] | undefined;
}

/** Where a page is, as its tools would tell it. */
export function redactedUrl(url: string | undefined, settings: RedactionSettings): string | undefined {
  return url === undefined ? undefined : redaction(settings)(url);
}

/** Takes out of a text what upstream takes out of its answers. */
export function redaction({
  secrets = {},
  redactUrlParams = [],
}: RedactionSettings): (text: string) => string {
  const params = redactUrlParams.filter((param) => param !== '').map((param) => param.replace(/\W/g, '\\$&'));
  const inUrls = new RegExp(`([?&#](?:${params.join('|')})=)[^&#\\s"'<>()\\[\\]\`\\\\]+`, 'gi');
  const values = Object.entries(secrets).filter(([, value]) => value !== '');
  return (text) => {
    const clean = values.reduce(
      (rest, [name, value]) => rest.replaceAll(value, () => `<secret>${name}</secret>`),
      text,
    );
    return params.length === 0 ? clean : clean.replace(inUrls, '$1<redacted>');
  };
}
