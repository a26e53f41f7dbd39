const axios = require('axios');

module.exports.rateOf = async (currency) => {
  const { data } = await axios.get('https://rates.example/' + currency);
  return data.rate;
};
