/** The sources of ZIP codes and place names whose licenses require attribution, or that are credited as a courtesy; see NOTICE. */
export const attribution = [
  {
    name: 'GeoNames',
    url: 'https://www.geonames.org/',
    license: 'CC BY 4.0',
    license_url: 'https://creativecommons.org/licenses/by/4.0/',
    text: 'Postal places of ZIP codes. Changed: selected, merged with counties by ZIP code, and reduced to names.',
  },
  {
    name: 'U.S. Census Bureau',
    url: 'https://www.census.gov/geographies/reference-files/time-series/geo/relationship-files.html',
    license: 'public domain',
    license_url: null,
    text: 'Counties of ZIP codes, names and codes of counties and places. The Census Bureau does not endorse Levy.',
  },
] as const;
