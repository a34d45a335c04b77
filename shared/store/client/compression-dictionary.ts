/**
 * Text that zlib takes as already seen, so that a stored JSON text refers to it instead of repeating it: names of fields and
 * states, words of enumerations, and messages of warnings. What is most frequent is last, because a near reference is shorter.
 *
 * It is frozen: an attribute can be read only with the dictionary that wrote it. For another text, add a dictionary with
 * another version byte, and keep this one. It need not follow the API: a field that it lacks costs a few bytes.
 */
const version1 = `
Alabama: Alaska: Arizona: Arkansas: California: Colorado: Connecticut: Delaware: District of Columbia: Florida: Georgia: Hawaii:
 Idaho: Illinois: Indiana: Iowa: Kansas: Kentucky: Louisiana: Maine: Maryland: Massachusetts: Michigan: Minnesota: Mississippi:
 Missouri: Montana: Nebraska: Nevada: New Hampshire: New Jersey: New Mexico: New York: North Carolina: North Dakota: Ohio:
 Oklahoma: Oregon: Pennsylvania: Puerto Rico: Rhode Island: South Carolina: South Dakota: Tennessee: Texas: Utah: Vermont:
 Virginia: Washington: West Virginia: Wisconsin: Wyoming:
{"code":"taxability_not_established","message":" taxability of is not established: taxed as general goods.
{"code":"product_tax_code_missing","message":"No \`product_tax_code\`: taxed as general tangible goods.","pointer":"/line_items/0"},
{"code":"registrations_missing","message":"{"code":"shipping_not_stated","message":"{"code":"not_covered","message":"
 is not covered by any content release: {"code":"content_approximate","message":"{"code":"taxability_assumed","message":"
{"code":"other_tax_applies","message":"{"code":"general_excise_not_passed_on","message":"{"code":"unknown_field","message":"Unknown field
{"code":"remote_seller_rate","message":": A sale from another state owes vendor use tax: the state rate, and a local use tax only where voters
 adopted one. The local sales rate was charged, which a local use tax never exceeds. Compare it with the use tax rates of the Department
 of Revenue. If you elected , set it in the account setting remote_seller_elections. For another local rate, import own rules with
 \`interstate\` (format rules).","pointer":"/line_items/0"}
: no local tax is owed on a sale from another state. It is included, because it is not known where the goods come from: send ship_from, or set it
 for the account.
{"code":"retail_delivery_fee_due","message":" retail delivery fee: 0.50 is due on this delivery and not charged. Set the account setting
 retail_delivery_fee to add, or send a line item with the product_tax_code FEES.RETAIL_DELIVERY_FEE and the unit_price 0.00. Set
 retail_delivery_fee to none if you owe no such fee or pay it yourself.","pointer":"/line_items"}
{"code":"address_ambiguous","message":"{"code":"local_rates_missing","message":": only the state rate is known; local taxes are missing.
: no local rate is established for an address without a city and ZIP; only the state rate was used. covers only part of ZIP
{"code":"local_rates_approximate","message":": the local rates of on are not on record; those of , the first on record, were used.
 To replace them, import the boundary file of the state for rates by ZIP+4. The ZIP code decided. Correct the address. Assumed:
{"code":"content_unconfirmed","message":", general rate: not confirmed by a primary source (confidence medium, source 
{"code":"local_rates_outdated","message":": the local rates of are as of 2026-07-22, and newer ones were due by 2026-10-08. Import them:
 \`GET /coverage\` names the publisher.","pointer":"/customer/address"},
{"code":"local_rates_by_place","message":": local rates of , County were found by the city and ZIP , without a boundary file. An address outside
 the city limits may be taxed differently. Import the boundary file of the state for rates by ZIP+4.","pointer":"/customer/address"}
{"kind":"certificate_numbers":["reduced_rated","product_exempt","customer_exempt","not_collecting","marketplace_collects","not_subject_to_tax"
"portion_product_exempt","portion_standard_rated","not_supported","zero_rated","over_collected","sourcing":"origin",
"product_tax_code":"CLOTHING.APPAREL","product_tax_code":"FOOD.GROCERY","product_tax_code":"SOFTWARE.SAAS","product_tax_code":"SHIPPING.DELIVERY",
"exemption":{"type":"resale","certificate_number":","state":"nexus","shipping":[{"amount":","product_tax_code":
{"base":{"taxable_amount":"0.00","exempt_amount":"0.00"},"amounts":[{"jurisdiction_code":"US-"}],"document":{"type":"sale","tax_day":"2026-
","reference_id":","customer_id":","postal_code":"},"exceptions":[{"reason":","gross_amount":"
,"creditOf":"lines","creditBasis":{"creditOf":null,"pinned":{"rounding":"line","registrations":"all","ship_from":null,"ambiguous_address":"warn",
"incomplete_coverage":"warn","pass_on_general_excise":false,"remote_seller_elections":[],"retail_delivery_fee":"warn"},"entryForm":"complete"}
{"line_items":[{"id":","parent_line_item_id":null,"description":","product_tax_code":"GENERAL","quantity":"1","unit_price":"10.00",
"discount_amount":null,"third_party_discount_amount":null,"customer":null,"ship_from":null,"fulfillment":null,"metadata":{},"amount":"10.00",
"applied_third_party_discount_amount":"0.00","applied_discount_amount":"0.00","net_amount":"10.00","taxable_amount":"10.00",
"exempt_amount":"0.00","tax_amount":"0.60","taxes":[
{"jurisdiction_code":"US-","jurisdiction_name":"","jurisdiction_type":"district","reporting_code":null,"tax_type":"sales","rate":"0.06","taxable_amount":"10.00",
"exempt_amount":"0.00","tax_amount":"0.60","taxability_reason":"standard_rated","sourcing":"destination","rule_id":"-goods"}],
"address_resolution":{"level":"city","ambiguous":false,"coverage":"complete"},"applied_exemption":null}],"explanation":null,
{"status":201,"headers":{"ETag":"\\"1\\"","Location":"transactions/txn_01"}}
{"object":"transaction","id":"txn_01","status":"draft","type":"credit","parent_transaction_id":"txn_01
{"object":"transaction","id":"txn_01","status":"finalized","type":"sale","parent_transaction_id":null,"reference_id":"
","currency":"USD","tax_date":"2026-11-21T12:00:00Z","customer":{"id":"cus_","address":{"line1":"","city":"","state":"
","postal_code":"","country":"US"}},"ship_from":null,"discount_amount":null,"discount_applies_to":"line_items","third_party_discount_amount":null,
"tax_included":false,"collected_by":"seller","metadata":{},"explain":false,"shipping":null,"line_items":null,"subtotal_amount":"0.00",
"applied_discount_amount":"0.00","applied_third_party_discount_amount":"0.00","shipping_amount":"0.00","taxable_amount":"0.00",
"exempt_amount":"0.00","tax_amount":"0.00","total_amount":"0.00","tax_summary":[
{"jurisdiction_code":"US-","jurisdiction_name":"","jurisdiction_type":"state","reporting_code":null,"rate":"0.06","taxable_amount":"0.00","exempt_amount":"0.00",
"tax_amount":"0.00"},{"jurisdiction_code":"US--00-0"," County","jurisdiction_type":"county","reporting_code":null,"rate":"0.01","taxable_amount":"
"},{"jurisdiction_code":"US--01-","jurisdiction_type":"city","reporting_code":null,"rate":"0.005","taxable_amount":"}],
"content_releases":{"US-":"US-@2026-11-22.1"},"engine_version":"1.1.0","warnings":[],"explanation":null,"calculated_tax_amount":"0.00",
"tax_amount_source":"calculated","credited_amount":"0.00","credited_tax_amount":"0.00","refund_status":"none","created_at":"2026-
","updated_at":"2026-","finalized_at":"2026-","filed_at":null,"voided_at":null,"void_reason":null,"expires_at":null,"filings":[],"version":1}
`;

const encode = (text: string) => Buffer.from(text.replaceAll('\n', ''));

/** The dictionaries by the version byte of the attributes that they wrote. */
export const dictionaries: ReadonlyMap<number, Buffer> = new Map([[1, encode(version1)]]);
