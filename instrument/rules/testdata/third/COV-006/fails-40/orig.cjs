const mongoose = require('mongoose');

const User = mongoose.model('User', new mongoose.Schema({ name: String }));

exports.userNamed = async function (name) {
  const user = await User.findOne({ name });
  return user;
};
