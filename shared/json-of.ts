/** The value of a JSON text; `null` for text that is no JSON, which the caller refuses as it refuses `null`. */
export const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
